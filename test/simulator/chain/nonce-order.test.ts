import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillGaps } from '../world/gap-filler.ts';
import type { Scene } from '../world/scene.ts';
import { Senders } from './senders.ts';

type Step = { kind: 'send' | 'replace' | 'debit' | 'mine' } | { kind: 'reorg'; drops: number[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'send' as const }) },
  fc.constantFrom({ kind: 'replace' as const }, { kind: 'debit' as const }),
  fc.constant({ kind: 'mine' as const }),
  fc.record({
    kind: fc.constant('reorg' as const),
    drops: fc.array(fc.nat(9), { maxLength: 2 }),
  }),
);

function take(senders: Senders, each: Step): void {
  const { scene } = senders;
  const submitted = scene.world.transactions({ status: 'submitted' }).data.at(-1);
  switch (each.kind) {
    case 'send':
      senders.send();
      return;
    case 'replace':
      if (submitted !== undefined) {
        senders.send({ replacesTransactionId: submitted.transactionId });
      }
      return;
    case 'debit':
      senders.debit();
      return;
    case 'mine':
      scene.mine('ethereum');
      return;
    case 'reorg': {
      const recent = sentBy(senders)
        .filter(({ confirmations, status }) => {
          return status === 'mempool' || (status === 'confirmed' && confirmations <= 2);
        })
        .map(({ blockchainHash }) => blockchainHash)
        .toReversed();
      const drop = each.drops.map((index) => recent[index]).filter((hash) => hash !== undefined);
      scene.reorg('ethereum', 2, drop);
      return;
    }
    default:
      each satisfies never;
  }
}

/** What the sender's address gave, in order of broadcast. */
function sentBy({ scene }: Senders) {
  return scene.world
    .truthTransactions()
    .filter(({ movements }) => movements.some(({ amount }) => amount < 0n));
}

test('whatever is dropped and replaced, blocks hold every nonce once and in order', () => {
  let gaps = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 40 }), (steps) => {
      const senders = new Senders();
      const { scene } = senders;
      // Two blocks that a reorg may take and that hold nothing of it all.
      scene.mine('ethereum', 2);
      for (const each of steps) {
        take(senders, each);
        const told = noncesTold(scene);
        const sent = sentBy(senders).map((truth) => ({
          ...truth,
          nonce: told.get(truth.blockchainHash) ?? -1,
        }));
        const mined = sent
          .filter(({ status }) => status === 'confirmed')
          .sort((left, right) => left.nonce - right.nonce);
        expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index));
        const heights = mined.map(({ blockHeight }) => blockHeight ?? 0);
        expect(heights).toEqual(heights.toSorted((left, right) => left - right));
        const isBehindGap = sent.some(({ status, nonce }) => {
          return status === 'mempool' && nonce > mined.length;
        });
        if (isBehindGap) gaps += 1;
      }
      fillGaps(scene.world, 'ethereum');
      expect(senders.mempool()).toEqual([]);
      expect(scene.world.transactions({ status: 'submitted' }).data).toEqual([]);
    }),
    { numRuns: 60, seed: 20260102 },
  );
  expect(gaps).toBeGreaterThan(10);
});

/** By hash, from what the blockchain stream says. */
function noncesTold({ log }: Scene): Map<string, number> {
  const told = new Map<string, number>();
  for (const { blockchainHash, metadata } of log) {
    const nonce = (metadata as Record<string, unknown> | undefined)?.['nonce'];
    if (typeof nonce === 'number') told.set(String(blockchainHash), nonce);
  }
  return told;
}
