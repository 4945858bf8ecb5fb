import fc from 'fast-check';
import type { JournalRow } from '../../../src/store/records.ts';
import type { JournalHead, SealedCommit } from '../../../src/store/replicated/shared-journal.ts';
import { GENESIS_HASH, sealHash } from '../../../src/store/seal.ts';

export const EMPTY: JournalHead = { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };

/** A fact that has no position yet. */
export type LooseFact = Omit<JournalRow, 'seq'>;

export function note(body: string): LooseFact {
  return {
    kind: 'notification',
    recordedAt: 1_700_000_000_000,
    detail: null,
    body: Buffer.from(body),
  };
}

/** The commit that follows a head, sealed. */
export function commitAfter(
  head: JournalHead,
  facts: readonly LooseFact[],
  days: readonly string[] = [],
): SealedCommit {
  const rows = facts.map((fact, index) => ({ ...fact, seq: head.lastSeq + 1 + index }));
  const sealedAt = 1_700_000_000_000 + head.commitNumber;
  return {
    commitNumber: head.commitNumber + 1,
    sealedAt,
    previousHash: head.hash,
    hash: sealHash(head.hash, { sealedAt, rows }),
    rows,
    computedDays: days.map((packed, index) => ({ seq: head.lastSeq + 1 + index, packed })),
  };
}

export function headOf({ commitNumber, hash, rows }: SealedCommit): JournalHead {
  return { commitNumber, lastSeq: rows.at(-1)?.seq ?? 0, hash };
}

/** Commits that follow each other, one for each list of facts. */
export function chainOf<const Lists extends readonly (readonly LooseFact[])[]>(
  lists: Lists,
  from = EMPTY,
): { readonly [Index in keyof Lists]: SealedCommit } {
  let head = from;
  const commits = lists.map((facts) => {
    const commit = commitAfter(head, facts);
    head = headOf(commit);
    return commit;
  });
  return commits as { readonly [Index in keyof Lists]: SealedCommit };
}

/** A commit with every view of bytes as plain numbers, to compare with another. */
export function plain(commit: SealedCommit): unknown {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  return {
    ...commit,
    previousHash: hex(commit.previousHash),
    hash: hex(commit.hash),
    rows: commit.rows.map((row) => ({ ...row, body: hex(row.body) })),
  };
}

const KINDS = ['notification', 'quarantined', 'refused', 'custody-record', 'decision'] as const;

/** Facts of every kind, with any text in `detail` and any bytes in the body. */
export const anyFact: fc.Arbitrary<LooseFact> = fc.record({
  kind: fc.constantFrom(...KINDS),
  recordedAt: fc.integer({ min: 0, max: 2 ** 48 }),
  detail: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 }), { nil: null }),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.integer({ min: 0, max: 40_000 }).map((length) => new Uint8Array(length).fill(7)),
  ),
});
