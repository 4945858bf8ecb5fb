import { expect, test } from 'vitest';
import { closesOf, lastReport, unsoundCloses } from '../../store/close/closing.ts';
import { ETH, GRACE_MS } from '../stage.ts';
import {
  DAY_MS,
  HOUR_MS,
  localCloserOf,
  closerOf,
  start,
  afterQuietDay,
  toNextDay,
  totalOf,
  explanations,
} from './days.ts';

test('a day of deposits, a withdrawal and an own transfer closes balanced, three ways', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(hot, '1000000000000000000', 3);
  await stage.order(hot, cold.networkAddress, '3000');
  await stage.order(hot, '0x00000000000000000000000000000000000000aa', '500');
  await stage.mine(3);
  await stage.run();
  await toNextDay(stage);
  expect(await closerOf(stage).closeDue()).toMatchObject({ kind: 'closed' });
  const report = lastReport(stage.open);
  expect(report).toMatchObject({ status: 'balanced', exceptions: [] });
  expect(totalOf(report, hot)).toMatchObject({
    opening: '0',
    deposits: '1000000000000000000',
    withdrawals: '500',
    internal: '-3000',
    chainDifference: '0',
    custodyDifference: '0',
  });
  expect(totalOf(report, cold)).toMatchObject({ deposits: '0', internal: '3000', closing: '3000' });
  expect(report.inTransit).toEqual([]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a report names its vaults as the custody service does, and its replay names them the same', async () => {
  const { stage, depositAddress } = await afterQuietDay();
  const report = lastReport(stage.open);
  expect(report.vaultNames).toEqual({ [depositAddress.vaultId]: 'v' });
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a day without a custody API closes without names', async () => {
  const stage = await start();
  await stage.paid(await stage.depositAddress(), 700, 3);
  await toNextDay(stage);
  await localCloserOf(stage).closeDue();
  expect(lastReport(stage.open)).not.toHaveProperty('vaultNames');
});

test.for(['submitted', 'mined', 'failed'])(
  'a forged `%s` that names the hash of a deposit, and that custody denies, changes no category',
  async (type) => {
    const stage = await start();
    const [depositAddress, other] = [await stage.depositAddress(), await stage.depositAddress()];
    const blockchainHash = await stage.paid(depositAddress, 700, 3);
    await stage.run();
    await stage.deliver({
      id: 'forged',
      timestamp: stage.now,
      stream: 'outgoing',
      type,
      vaultId: other.vaultId,
      transactionId: 'nobody',
      network: 'ethereum',
      blockchainHash,
      ...(type === 'mined' ? { balanceChanges: [{ asset: ETH, amount: '-700', tags: [] }] } : {}),
    });
    await stage.caller.advance(GRACE_MS);
    await stage.run();
    await stage.run();
    expect(await stage.depositState(blockchainHash)).toBe('credited');
    await toNextDay(stage);
    const closer = closerOf(stage);
    await closer.closeDue();
    const report = lastReport(stage.open);
    expect(totalOf(report, depositAddress)).toMatchObject({ deposits: '700', internal: '0' });
    expect(report.inTransit).toEqual([]);
    await toNextDay(stage);
    await closer.closeDue();
    expect(totalOf(lastReport(stage.open), depositAddress)).toMatchObject({
      deposits: '0',
      internal: '0',
    });
    expect(unsoundCloses(stage.open)).toEqual([]);
  },
);

test('each hash without a chain view is listed, and the day is not simply balanced', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  stage.loses = ({ stream }) => stream === 'blockchain';
  const untold = await stage.paid(depositAddress, 440, 3);
  stage.loses = () => false;
  await stage.run();
  await toNextDay(stage);
  await closerOf(stage).closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, depositAddress)).toMatchObject({
    closing: '1140',
    chainClosing: '700',
    chainDifference: '440',
    chainUntold: '440',
  });
  expect(report).toMatchObject({
    status: 'balanced with open differences',
    openDifferences: [{ against: 'chain', asset: ETH, count: 1, difference: '440' }],
    differences: [
      { blockchainHash: untold, difference: '440', explanation: 'chain_not_told', untold: true },
    ],
  });
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that is missing under an open break makes the day balanced with open differences', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  stage.loses = () => true;
  await stage.paid(depositAddress, 121, 3);
  await toNextDay(stage);
  // The break opens after the cut-off, and before the close.
  await stage.run();
  await closerOf(stage).closeDue();
  const report = lastReport(stage.open);
  const [breakId] = report.differences.map((one) => one.breakId);
  expect(report).toMatchObject({
    status: 'balanced with open differences',
    openDifferences: [
      { against: 'custody', asset: ETH, count: 1, difference: '-121', absolute: '121' },
    ],
    openBreaks: [],
    laterBreaks: [{ breakId, type: 'missing_notification', state: 'open' }],
  });
});

test('exempt differences are counted by rule, but not for days that are closed late', async () => {
  const { stage, depositAddress, closer } = await afterQuietDay();
  const rule = { rule: 'known', vaultId: depositAddress.vaultId, until: Number.MAX_SAFE_INTEGER };
  const rules = [{ ...rule, breakType: 'missing_notification', reason: 'r', owner: 'o' }] as const;
  await stage.open.decide({ kind: 'exemptions', rules }, 'config');
  stage.loses = () => true;
  await stage.paid(depositAddress, 900, 3);
  await stage.caller.advance(2 * DAY_MS);
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { known: 1 } });
  await closer.closeDue();
  const exempt = closesOf(stage.open).map(({ parsed }) => parsed.exempt);
  expect(exempt.slice(-3)).toEqual([{}, undefined, { known: 1 }]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('an exempt difference is explained by its rule, as long as the rule is about it', async () => {
  const { stage, depositAddress, closer } = await afterQuietDay();
  stage.loses = () => true;
  await stage.paid(depositAddress, 900, 3);
  await stage.caller.advance(HOUR_MS);
  const rule = {
    rule: 'old wallet',
    vaultId: depositAddress.vaultId,
    reason: 'ticket 1',
    owner: 'finance',
  };
  const until = stage.now + DAY_MS;
  const rules = [{ ...rule, breakType: 'missing_notification', until }] as const;
  await stage.open.decide({ kind: 'exemptions', rules }, 'config');
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { 'old wallet': 1 } });
  await toNextDay(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({
    status: 'balanced',
    exceptions: [],
    differences: [
      {
        against: 'custody',
        difference: '-900',
        explanation: 'exempt',
        breakId: null,
        detail: 'missing_notification, exempt by the rule "old wallet" of finance: ticket 1',
      },
    ],
    openBreaks: [],
    exempt: { 'old wallet': 1 },
  });
  expect(totalOf(lastReport(stage.open), depositAddress).custodyDifference).toBe('-900');
  await toNextDay(stage);
  await stage.run();
  await closer.closeDue();
  expect(explanations(lastReport(stage.open))).toEqual(['custody -900 break']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});
