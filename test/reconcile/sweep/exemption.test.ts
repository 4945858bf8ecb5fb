import { expect, test } from 'vitest';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import { GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;

function ruleOf(narrowing: Partial<ExemptionRule>): ExemptionRule {
  return { rule: 'known', until: FOR_EVER, reason: 'ticket 1', owner: 'fin', ...narrowing };
}

async function setRules(stage: Stage, ...rules: ExemptionRule[]): Promise<void> {
  await stage.open.decide({ kind: 'exemptions', rules }, 'config');
}

async function started(): Promise<{ stage: Stage; depositAddress: DepositAddress }> {
  const stage = await Stage.start();
  return { stage, depositAddress: await stage.depositAddress() };
}

test('a forged deposit that a rule exempts is counted so, run after run, and never credited', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, 700, 3);
  const { networkAddress: _, ...at } = depositAddress;
  await stage.deliver({
    ...at,
    id: 'forged',
    timestamp: stage.now,
    stream: 'incoming',
    type: 'confirmation',
    network: 'ethereum',
    blockchainHash: '0xf0f0',
    transactionId: 'nobody',
    confirmations: 12,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '9000000', tags: [] }],
  });
  await setRules(stage, ruleOf({ vaultId: depositAddress.vaultId }));
  const run = await stage.run();
  expect(run).toMatchObject({ broken: 0, exempt: { known: 1 } });
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  await stage.caller.advance(3_600_000);
  // By then the API was also asked for the movement of the hash: it has no chain view.
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { known: 2 } });
  await stage.caller.advance(3_600_000);
  const head = stage.open.journalLength();
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { known: 2 } });
  expect(stage.factsSince(head)).toEqual(['custody-record']);
  expect(stage.open.breaks()).toEqual([]);
  await setRules(stage);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['conservation', 'unknown_to_custody']);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a missing notification that a rule exempts is left alone, and is a break without the rule', async () => {
  const { stage, depositAddress } = await started();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await setRules(
    stage,
    ruleOf({ vaultId: depositAddress.vaultId, breakType: 'missing_notification' }),
  );
  // Found in the list of transactions, and in the list of the address.
  expect(await stage.run(sweep)).toMatchObject({ broken: 0, exempt: { known: 2 } });
  await stage.run(sweep);
  expect([stage.open.breaks(), await stage.deposits(hash)]).toEqual([[], []]);
  await setRules(stage);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['missing_notification']);
});

test('a rule does not keep a credit whose rollback was lost from being reversed', async () => {
  const { stage, depositAddress } = await started();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run(sweep);
  await setRules(stage, ruleOf({ vaultId: depositAddress.vaultId }));
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(3, [hash]);
  stage.loses = () => false;
  for (let run = 0; run < 4; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
});
