import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillGaps } from './gap-filler.ts';
import type { Scene } from './scene.ts';
import { Senders } from '../chain/senders.ts';

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

/** The transactions of the sender's address, in order of broadcast. */
function sentBy({ scene }: Senders) {
  return scene.world
    .truthTransactions()
    .filter(({ movements }) => movements.some(({ amount }) => amount < 0n));
}

/** After any steps, blocks hold every nonce once and in order. Calls `onGap` for each gap. */
function noncesInOrder(onGap: () => void) {
  return fc.property(fc.array(step, { minLength: 3, maxLength: 40 }), (steps) => {
    const senders = new Senders();
    const { scene } = senders;
    // Two empty blocks for a reorg to remove.
    scene.mine('ethereum', 2);
    for (const each of steps) {
      take(senders, each);
      const received = reportedNonces(scene);
      const sent = sentBy(senders).map((truth) => ({
        ...truth,
        nonce: received.get(truth.blockchainHash) ?? -1,
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
      if (isBehindGap) onGap();
    }
    fillGaps(scene.world, 'ethereum');
    expect(senders.mempool()).toEqual([]);
    expect(scene.world.transactions({ status: 'submitted' }).data).toEqual([]);
  });
}

test('blocks hold every nonce once and in order, after any drops and replacements', () => {
  let gaps = 0;
  const property = noncesInOrder(() => {
    gaps += 1;
  });
  fc.assert(property, { numRuns: 40, seed: 20260102 });
  expect(gaps).toBeGreaterThan(10);
  // Also with a new seed in each run. fast-check prints the seed when one fails.
  fc.assert(property, { numRuns: 20 });
});

/** Nonces by hash, from the blockchain stream. */
function reportedNonces({ log }: Scene): Map<string, number> {
  const received = new Map<string, number>();
  for (const { blockchainHash, metadata } of log) {
    const nonce = (metadata as Record<string, unknown> | undefined)?.['nonce'];
    if (typeof nonce === 'number') received.set(String(blockchainHash), nonce);
  }
  return received;
}
