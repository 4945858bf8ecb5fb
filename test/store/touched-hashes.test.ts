import { expect, test } from 'vitest';
import { NO_SUBJECT } from '../../src/domain/break.ts';
import { BlockchainHash, BreakId } from '../../src/domain/ids.ts';
import { TouchedHashes } from '../../src/store/sqlite/touched-hashes.ts';
import { chainView } from '../domain/records.ts';

/** A fact that tells of a hash of its own. */
function note(touched: TouchedHashes, seq: number, stream: 'outgoing' | 'blockchain'): void {
  const after = chainView({ stream, blockchainHash: BlockchainHash(`0x${seq}`) });
  touched.note({
    headSeq: seq,
    withdrawals: [],
    ownHashes: [],
    sightings: [{ after, before: undefined, hashId: seq }],
    breaks: [],
    hashIdOf: () => seq,
  });
}

function namesAfter(touched: TouchedHashes, seq: number): string[] | undefined {
  return touched.after(seq)?.own.map(({ blockchainHash }) => blockchainHash);
}

test('of the newest facts it is known which hashes they touched, and how far back', () => {
  const touched = new TouchedHashes(3, 2);
  expect([namesAfter(touched, 2), namesAfter(touched, 3)]).toEqual([undefined, []]);
  for (const seq of [4, 5, 6, 7, 8]) note(touched, seq, 'outgoing');
  expect(namesAfter(touched, 4)).toBeUndefined();
  expect(namesAfter(touched, 5)).toEqual(['0x6', '0x7', '0x8']);
  expect(namesAfter(touched, 7)).toEqual(['0x8']);
});

test('a break that is found again is about the hash that it is about now', () => {
  const touched = new TouchedHashes(3);
  const about = (seq: number, hash: string): void => {
    const subject = { ...NO_SUBJECT, blockchainHash: BlockchainHash(hash) };
    const breaks = [{ breakId: BreakId('brk_1'), subject }];
    touched.note({
      headSeq: seq,
      withdrawals: [],
      ownHashes: [],
      sightings: [],
      breaks,
      hashIdOf: () => 1,
    });
  };
  about(4, '0x4');
  about(5, '0x5');
  const names = touched
    .after(3)
    ?.breaks.map(({ breakId, subject }) => [breakId, subject.blockchainHash]);
  expect(names).toEqual([['brk_1', '0x5']]);
  expect(touched.after(5)?.breaks).toEqual([]);
});

test('only what makes a hash an own transaction’s touches it', () => {
  const touched = new TouchedHashes(3);
  note(touched, 4, 'blockchain');
  note(touched, 5, 'outgoing');
  expect(namesAfter(touched, 3)).toEqual(['0x5']);
});
