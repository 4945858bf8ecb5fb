import { expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { TransactionId } from '../../../src/domain/ids.ts';
import type { Reads } from '../../../src/store/reads.ts';
import { startVerifying, type VerifyingStage } from './verifying-stage.ts';

/**
 * A transfer between own vaults whose outgoing webhooks are lost. While its rows are compared,
 * another reading shows the outgoing one with a newer `updatedAt`.
 */
async function ownRowMoves(): Promise<VerifyingStage & { deposit: () => Promise<string> }> {
  const all = await startVerifying();
  const { stage, changes, rounds } = all;
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, String(10n ** 18n), 3);
  await rounds();
  stage.loses = ({ stream }) => stream !== 'incoming';
  const transactionId = TransactionId(await stage.order(from, to.networkAddress, '700'));
  await stage.mine(3);
  const news: CustodyTransaction[] = [];
  const view = stage.reads.reconcilerView.bind(stage.reads);
  const reconcilerView: Reads['reconcilerView'] = (about) => {
    const row = changes.shown.get(transactionId);
    if (row !== undefined && news.length === 0) {
      news.push(...changes.shown.see([{ ...row, updatedAt: row.updatedAt + 1 }]));
      changes.unverified.put(news);
      changes.unswept.put(news);
    }
    return view(about);
  };
  Object.assign(stage.reads, { reconcilerView });
  const deposit = async (): Promise<string> => {
    const deposits = await stage.deposits();
    return deposits.find(({ vaultId }) => vaultId === to.vaultId)?.state ?? 'none';
  };
  return { ...all, deposit };
}

test('an own transaction that is read anew while the verifier compares it: its transfer is not credited', async () => {
  const { stage, rounds, deposit } = await ownRowMoves();
  await rounds(60_000);
  expect(stage.open.feedLines()).toHaveLength(1);
  expect(await deposit()).toBe('internal');
});

test('an own transaction that is read anew while a sweep compares it: its transfer is not credited', async () => {
  const { stage, sweep, deposit } = await ownRowMoves();
  await stage.run(sweep);
  expect(stage.open.feedLines()).toHaveLength(1);
  await stage.run(sweep);
  expect(await deposit()).toBe('internal');
});
