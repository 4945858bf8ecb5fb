import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { replayProblems } from '../../simulation/audit/replay-check.ts';
import { ETH, GRACE_MS, Stage, THREE_DEEP, type DepositAddress } from '../stage.ts';

const FUNDS = '900000000000000000';
const MINUTE_MS = 60_000;

let issued = 0;

/** A webhook about a transaction that nobody but its sender has heard of, over this hash. */
function forged(depositAddress: DepositAddress, blockchainHash: string, more: object = {}): object {
  issued += 1;
  return {
    id: `forged-${issued}`,
    timestamp: 1,
    stream: 'outgoing',
    type: issued % 2 === 0 ? 'submitted' : 'mined',
    vaultId: depositAddress.vaultId,
    transactionId: `nobody-${issued}`,
    orderId: `nobody-${issued}`,
    accountId: depositAddress.accountId,
    addressId: depositAddress.addressId,
    network: 'ethereum',
    destinationAddress: 'outside',
    blockchainHash,
    metadata: {},
    ...(issued % 2 === 0 ? {} : { balanceChanges: [{ asset: ETH, amount: '-50', tags: [] }] }),
    ...more,
  };
}

async function forge(
  stage: Stage,
  depositAddress: DepositAddress,
  about: { hash: string; count: number },
) {
  for (let number = 0; number < about.count; number += 1) {
    await stage.deliver(forged(depositAddress, about.hash));
  }
}

/** Runs a minute apart until the feed grows; answers how many it took. */
async function runsUntilCredited(stage: Stage, most: number): Promise<number> {
  const before = stage.open.feedLines().length;
  for (let run = 1; run <= most; run += 1) {
    await stage.run();
    if (stage.open.feedLines().length > before) return run;
    await stage.caller.advance(MINUTE_MS);
  }
  return Infinity;
}

/** Two vaults, of which the first can pay. */
async function twoVaults(): Promise<{ stage: Stage; from: DepositAddress; to: DepositAddress }> {
  const stage = await Stage.start();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, FUNDS, 3);
  await stage.run();
  return { stage, from, to };
}

test('three hundred made-up transactions over its hash delay a credit by the grace and no more', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = ({ stream }) => stream === 'incoming';
  const hash = await stage.pay(depositAddress, 700);
  await forge(stage, depositAddress, { hash, count: 150 });
  await stage.mine(3);
  await stage.deliverLost();
  await forge(stage, depositAddress, { hash, count: 150 });
  await stage.run();
  expect(await stage.depositState(hash)).toBe('internal');
  await stage.caller.advance(GRACE_MS);
  expect(await runsUntilCredited(stage, 40)).toBe(1);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a steady stream of made-up transactions delays it no longer, and does not unmake an approval', async () => {
  const policy = { ...THREE_DEEP, assets: { [ETH]: { oneApprovalAbove: Amount(500n) } } };
  const stage = await Stage.start({ policy });
  const depositAddress = await stage.depositAddress();
  const [small, large] = [
    await stage.paid(depositAddress, 300, 3),
    await stage.paid(depositAddress, 700, 3),
  ];
  const forgeBoth = async () => {
    for (const hash of [small, large]) await forge(stage, depositAddress, { hash, count: 3 });
  };
  await forgeBoth();
  const sweep = stage.newSweep({
    submit: async (facts) => {
      // Between any two facts of a run somebody forges more.
      const outcomes = [];
      for (const fact of facts) {
        outcomes.push(...(await stage.open.commit([fact])));
        await forgeBoth();
      }
      return outcomes;
    },
  });
  for (let minute = 0; minute <= 12; minute += 1) {
    await stage.run(sweep);
    await stage.caller.advance(MINUTE_MS);
    await forgeBoth();
  }
  expect(await stage.depositState(small)).toBe('credited');
  expect(await stage.depositState(large)).toBe('held: approval_required');
  const [deposit] = await stage.deposits(large);
  if (deposit === undefined) throw new Error('no deposit');
  await stage.open.decide({ kind: 'approve', depositId: deposit.depositId, reason: 'known' });
  await forgeBoth();
  await stage.run(sweep);
  expect(await stage.depositState(large)).toBe('credited');
  expect(stage.open.feedLines()).toEqual(['credit 300', 'credit 700']);
  expect(replayProblems(stage.open.db.name)).toEqual([]);
});

test('the hash is one question, and its answer is on record with a break', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await forge(stage, depositAddress, { hash, count: 30 });
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  stage.attempts.splice(0);
  await stage.run();
  const asked = stage.attempts.map(({ operation }) => operation);
  expect(asked.filter((operation) => operation === 'transactions')).toHaveLength(2);
  expect(asked.filter((operation) => operation === 'transaction')).toHaveLength(10);
  expect(await stage.depositState(hash)).toBe('credited');
  const [deposit] = await stage.deposits(hash);
  const said = stage.open.bodies('custody-record').filter((body) => body.includes('disowned-hash'));
  expect(said.map((body): unknown => JSON.parse(body))).toEqual([
    {
      kind: 'disowned-hash',
      network: 'ethereum',
      blockchainHash: hash,
      incoming: [deposit?.transactionId],
      graceMs: GRACE_MS,
    },
  ]);
  expect(stage.open.openBreak('status_mismatch')).toMatchObject({
    severity: 'critical',
    blockchain_hash: hash,
  });
  // What was made up becomes unknown by look-ups of its own, and by nothing else.
  expect(stage.open.openBreaks().filter((type) => type === 'unknown_to_custody')).toHaveLength(10);
  expect(replayProblems(stage.open.db.name)).toEqual([]);
});

test('an own transfer is not credited, although other transactions claim its hash', async () => {
  const { stage, from, to } = await twoVaults();
  const id = await stage.order(from, to.networkAddress, '1000');
  const { blockchainHash } = await stage.api('GET', `/transactions/${id}`);
  const hash = String(blockchainHash);
  await forge(stage, to, { hash, count: 150 });
  await stage.mine(3);
  await forge(stage, to, { hash, count: 150 });
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  expect(await runsUntilCredited(stage, 35)).toBe(Infinity);
  expect(await stage.depositState(hash)).toBe('internal');
});

/** An order that waits for its approver, and how to say no to it. */
async function pendingOrder(stage: Stage, to: DepositAddress) {
  const approver = await stage.caller.client(['Vault:read', 'manageVaults']);
  const vaultId = await stage.caller.vault({ quorum: 1, approvers: [approver.clientId] });
  const accountId = await stage.caller.account(vaultId);
  const from = { vaultId, accountId, ...(await stage.caller.address(accountId, 'ethereum')) };
  const id = await stage.order(from, to.networkAddress, '1000');
  const cancel = async (): Promise<void> => {
    await stage.api('POST', `/transactions/${id}/cancel`);
    await stage.deliverDue();
  };
  return { id, cancel };
}

test.for([
  ['before', true],
  ['after', false],
] as const)(
  'one that the API has on its way holds a deposit until it ends, seen %s it was said to have the hash',
  async ([_, seenFirst]) => {
    const { stage, to } = await twoVaults();
    const { id, cancel } = await pendingOrder(stage, to);
    if (seenFirst) await stage.run();
    const hash = await stage.paid(to, 700, 3);
    await forge(stage, to, { hash, count: 15 });
    await stage.deliver(forged(to, hash, { transactionId: id, type: 'submitted' }));
    await forge(stage, to, { hash, count: 15 });
    await stage.run();
    await stage.caller.advance(GRACE_MS);
    // Each run with a memory of its own, as after a restart.
    for (let run = 1; run <= 6; run += 1) {
      await stage.run(stage.newSweep());
      await stage.caller.advance(MINUTE_MS);
    }
    expect(await stage.depositState(hash)).toBe('internal');
    await cancel();
    expect(await runsUntilCredited(stage, 15)).toBeLessThan(15);
    expect(await stage.depositState(hash)).toBe('credited');
  },
);
