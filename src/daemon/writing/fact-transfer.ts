import type { Fact } from '../../domain/fact/fact.ts';

/**
 * Prepares facts for the writer thread. Moves all bodies into one buffer, which is transferred
 * without a copy. The received bodies are views of socket buffers, and each of those would be
 * copied whole.
 */
export function forTransfer(facts: readonly Fact[]): {
  facts: Fact[];
  transfer: ArrayBuffer[];
} {
  const length = facts.reduce((sum, fact) => sum + ('raw' in fact ? fact.raw.length : 0), 0);
  const bodies = new Uint8Array(length);
  let end = 0;
  const moved = facts.map((fact) => {
    if (!('raw' in fact)) return fact;
    const start = end;
    bodies.set(fact.raw, start);
    end += fact.raw.length;
    return { ...fact, raw: bodies.subarray(start, end) };
  });
  return { facts: moved, transfer: [bodies.buffer] };
}
