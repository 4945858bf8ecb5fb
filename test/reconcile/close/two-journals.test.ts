import { expect, test } from 'vitest';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { CustodyView } from '../../simulator/custody-view.ts';
import type { Caller } from '../../simulator/core-caller.ts';
import { closesOf, lastReport, unsoundCloses } from '../../store/close/closing.ts';
import { ETH, stageCaller, type DepositAddress, type Stage } from '../stage.ts';
import { closerOf, start, toNextDay, totalOf } from './days.ts';

interface Journal {
  readonly stage: Stage;
  readonly address: DepositAddress;
}

/** A journal with one vault, whose API client sees no other vault. */
async function journalOf(caller: Caller): Promise<Journal> {
  const vaultId = await caller.vault();
  const { url } = await CustodyView.of(caller.core.url, vaultId);
  const stage = await start({ caller, baseUrl: url });
  return { stage, address: await stage.depositAddress('ethereum', vaultId) };
}

/** What the chain holds for every address of every vault, in wei. */
async function onChain(caller: Caller): Promise<bigint> {
  const { data } = await caller.sim('GET', '/sim/truth/balances');
  const balances = data as { asset: string; amount: string }[];
  return balances
    .filter(({ asset }) => asset === ETH)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

type Figure = 'deposits' | 'withdrawals' | 'fees' | 'internal' | 'closing' | 'chainClosing';

/** A figure of both reports together. */
function sumOf(reports: readonly DailyReport[], figure: Figure): bigint {
  return reports
    .flatMap(({ totals }) => totals)
    .reduce((sum, total) => sum + BigInt(total[figure]), 0n);
}

test('two journals close a day each for its own vault, a transfer between them nets to zero, and both reports together tie with the chain', async () => {
  const caller = await stageCaller();
  const [one, two] = [await journalOf(caller), await journalOf(caller)];
  await one.stage.paid(one.address, '1000000000000000000', 3);
  await two.stage.paid(two.address, '900', 3);
  await one.stage.order(one.address, two.address.networkAddress, '3000');
  await one.stage.mine(3);
  for (const { stage } of [one, two]) await stage.run();
  await toNextDay(one.stage);

  const before = closesOf(two.stage.open).length;
  expect(await closerOf(one.stage).closeDue()).toMatchObject({ kind: 'closed' });
  expect(closesOf(two.stage.open)).toHaveLength(before);
  expect(await closerOf(two.stage).closeDue()).toMatchObject({ kind: 'closed' });

  const reports = [lastReport(one.stage.open), lastReport(two.stage.open)] as const;
  expect(reports.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-01']);
  for (const [index, { stage, address }] of [one, two].entries()) {
    const report = reports[index];
    expect(report).toMatchObject({ status: 'balanced', exceptions: [], differences: [] });
    expect(report?.totals.map(({ vaultId }) => vaultId)).toEqual([address.vaultId]);
    expect(unsoundCloses(stage.open)).toEqual([]);
  }
  const ties = { chainDifference: '0', custodyDifference: '0', internal: '0' };
  expect(totalOf(reports[0], one.address)).toMatchObject({
    deposits: '1000000000000000000',
    withdrawals: '3000',
    ...ties,
  });
  expect(totalOf(reports[1], two.address)).toMatchObject({
    deposits: '3900',
    withdrawals: '0',
    fees: '0',
    closing: '3900',
    ...ties,
  });
  // From outside came one ether and 900 wei: the transfer is in both sums, and not in their difference.
  expect(sumOf(reports, 'deposits') - sumOf(reports, 'withdrawals')).toBe(
    1_000_000_000_000_000_900n,
  );
  expect(sumOf(reports, 'closing')).toBe(1_000_000_000_000_000_900n - sumOf(reports, 'fees'));
  expect(sumOf(reports, 'chainClosing')).toBe(sumOf(reports, 'closing'));
  expect(await onChain(caller)).toBe(sumOf(reports, 'closing'));
});
