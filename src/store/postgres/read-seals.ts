import type { JournalHead } from '../replicated/shared-journal.ts';
import type { SealColumns } from './commit-rows.ts';

/** Most bytes of bodies that one `read` takes. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

/** Whether a seal is the head's. */
export function isHead(seal: SealColumns | undefined, head: JournalHead): boolean {
  return (
    seal?.commitNumber === head.commitNumber &&
    seal.lastSeq === head.lastSeq &&
    Buffer.compare(seal.hash, head.hash) === 0
  );
}

/**
 * The first seals whose facts and bodies one `read` takes; at least one, if there is any. `factsMax`:
 * facts after the head.
 */
export function firstOf<Seal extends SealColumns & { readonly bytes: number }>(
  seals: readonly Seal[],
  after: JournalHead,
  factsMax: number,
): Seal[] {
  let bytes = 0;
  const fitting = seals.findIndex((seal, index) => {
    bytes += seal.bytes;
    return index > 0 && (seal.lastSeq - after.lastSeq > factsMax || bytes > READ_BYTES_MAX);
  });
  return seals.slice(0, fitting === -1 ? seals.length : fitting);
}
