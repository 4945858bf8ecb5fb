import { expect, test } from 'vitest';
import { ETH, GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const FUNDS = '900000000000000000';
const OUTSIDE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

let issued = 0;

/** A debit of 50 units that the core never made. */
function forged(depositAddress: DepositAddress, more: object = {}): object {
  issued += 1;
  return {
    id: `forged-${issued}`,
    timestamp: 1,
    stream: 'outgoing',
    type: 'mined',
    vaultId: depositAddress.vaultId,
    transactionId: 'nobody',
    orderId: 'nobody',
    accountId: depositAddress.accountId,
    addressId: depositAddress.addressId,
    network: 'ethereum',
    destinationAddress: OUTSIDE,
    blockchainHash: '0xf0f0',
    metadata: {},
    balanceChanges: [{ asset: ETH, amount: '-50', tags: [] }],
    ...more,
  };
}

function lookUps(stage: Stage): number {
  return stage.attempts.splice(0).filter(({ operation }) => operation === 'transaction').length;
}

/** What the books hold of everything. */
function booksOf(stage: Stage): string[] {
  return Object.values(stage.open.positions());
}

test('a transaction of nobody is asked for once the API had its grace, and taken back', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.deliver(forged(depositAddress));
  expect(booksOf(stage)).toEqual(['-50', '700']);
  await stage.run();
  expect(lookUps(stage)).toBe(0);
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  const run = await stage.run();
  expect(lookUps(stage)).toBe(1);
  expect(run.broken).toBe(1);
  expect(booksOf(stage)).toEqual(['700']);
  expect(stage.open.openBreak('unknown_to_custody')).toMatchObject({
    severity: 'critical',
    expected: '0',
    actual: '-50',
  });
});

test('one that the API does not know is asked for ever less often, until a person has looked', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.deliver(forged(depositAddress));
  const askedAt: number[] = [];
  const start = stage.now + GRACE_MS;
  await stage.caller.advance(GRACE_MS);
  for (let minute = 0; minute <= 65; minute += 1) {
    await stage.run();
    if (lookUps(stage) > 0) askedAt.push(Math.round((stage.now - start) / 60_000));
    await stage.caller.advance(60_000);
  }
  expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 63]);
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'the URL is changed' });
  await stage.caller.advance(7_200_000);
  await stage.run();
  expect(lookUps(stage)).toBe(0);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a true deposit whose hash it claims waits, and is credited when the API denies it', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.pay(depositAddress, 700);
  await stage.deliver(forged(depositAddress, { blockchainHash: hash }));
  await stage.mine(3);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('internal');
  expect(stage.open.feedLines()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(booksOf(stage)).toEqual(['700']);
  expect(stage.open.openBreak('unknown_to_custody').blockchain_hash).toBe(hash);
});

test('a deposit whose hash is named for an order on its way gets a break, and is credited when the order ends', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const approver = await stage.caller.client(['Vault:read', 'manageVaults']);
  const vaultId = await stage.caller.vault({ quorum: 1, approvers: [approver.clientId] });
  const accountId = await stage.caller.account(vaultId);
  const address = await stage.caller.address(accountId, 'ethereum');
  const gated = { ...depositAddress, vaultId, accountId, ...address };
  await stage.paid(gated, FUNDS, 3);
  const id = await stage.order(gated, OUTSIDE, '1000');
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.deliver(
    forged(gated, {
      type: 'submitted',
      transactionId: id,
      blockchainHash: hash,
      balanceChanges: [],
    }),
  );
  await stage.run();
  expect(await stage.depositState(hash)).toBe('internal');
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreak('status_mismatch').detail).toBe(
    `the notifications say submitted as ${hash}, and the custody API still says approval-pending without a hash: deposits of that hash stay held for internal`,
  );
  const decision = { decision: 'reject' };
  await stage.caller.api('POST', `/transactions/${id}/approvals`, decision, {
    token: approver.token,
  });
  await stage.deliverDue();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
});

test.for(['..', 'x'.repeat(200)])(
  'an id that cannot be looked up is resolved by its hash',
  async (id) => {
    const stage = await Stage.start();
    const depositAddress = await stage.depositAddress();
    const hash = await stage.paid(depositAddress, 700, 3);
    await stage.deliver(forged(depositAddress, { transactionId: id, blockchainHash: hash }));
    await stage.caller.advance(GRACE_MS);
    await stage.run();
    await stage.caller.advance(GRACE_MS);
    await stage.run();
    expect(await stage.depositState(hash)).toBe('credited');
    expect(stage.open.openBreaks()).toContain('unknown_to_custody');
  },
);

test('the id of a customer’s deposit is no transaction of ours', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  const [deposit] = await stage.deposits(hash);
  await stage.deliver(forged(depositAddress, { transactionId: deposit?.transactionId }));
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(booksOf(stage)).toEqual(['700']);
  expect(stage.open.openBreaks()).toContain('unknown_to_custody');
});

test('a look-up that failed denies nothing', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.deliver(forged(depositAddress));
  await stage.caller.advance(GRACE_MS);
  await stage.faults({ fault: 'error', operation: 'GET /transactions/{id}' });
  const run = await stage.run();
  expect(run.skipped).toHaveProperty('api_unavailable');
  expect(stage.open.openBreaks()).not.toContain('unknown_to_custody');
  expect(booksOf(stage)).toEqual(['-50']);
});

/** A stage with a transfer of ours on its way to `place`'s outside, funded and credited. */
async function sending(): Promise<{ stage: Stage; depositAddress: DepositAddress; id: string }> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  const id = await stage.order(depositAddress, OUTSIDE, '1000');
  return { stage, depositAddress, id };
}

test.for([
  ['other amounts', { balanceChanges: [{ asset: ETH, amount: '-7', tags: [] }] }],
  ['another hash', { blockchainHash: '0xb2' }],
] as const)('mined with %s before it was: the API’s word is booked', async ([_, more]) => {
  const { stage, depositAddress, id } = await sending();
  const { blockchainHash } = await stage.api('GET', `/transactions/${id}`);
  await stage.deliver(forged(depositAddress, { transactionId: id, blockchainHash, ...more }));
  await stage.mine(3);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  const open = stage.open.openBreaks();
  expect(open.includes('amount_mismatch') || open.includes('status_mismatch')).toBe(true);
  expect(stage.open.openBreaks()).not.toContain('conservation');
});

test('mined with the right sum, but another fee and order: the API’s word is booked and shown', async () => {
  const { stage, id } = await sending();
  stage.loses = ({ type }) => type === 'mined';
  await stage.mine(3);
  for (const mined of stage.lost.splice(0)) {
    const changes = mined['balanceChanges'] as { tags: string[] }[];
    const swapped = changes.map(({ tags, ...one }) => ({
      ...one,
      tags: tags.length > 0 ? [] : ['fee'],
    }));
    await stage.deliver({ ...mined, orderId: 'another', balanceChanges: swapped });
  }
  const feesIn = (view: string) =>
    stage.open.rows(
      `SELECT asset, amount FROM balances JOIN ledger_accounts USING (ledger_account)
       WHERE kind = 'network-fees' AND view = ?`,
      view,
    );
  expect(feesIn('books')).not.toEqual(feesIn('chain'));
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect(feesIn('books')).toEqual(feesIn('chain'));
  expect(stage.open.openBreak('amount_mismatch').transaction_id).toBe(id);
  expect(stage.open.rows('SELECT custody FROM withdrawals')).toEqual([{ custody: 'known' }]);
});

test('a deposit by our own hash at an address that it never paid is found', async () => {
  const { stage, id } = await sending();
  await stage.mine(3);
  const { blockchainHash } = await stage.api('GET', `/transactions/${id}`);
  const other = await stage.depositAddress();
  issued += 1;
  await stage.deliver({
    id: `forged-${issued}`,
    timestamp: 1,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: other.vaultId,
    accountId: other.accountId,
    addressId: other.addressId,
    network: 'ethereum',
    blockchainHash,
    confirmations: 12,
    balanceChanges: [{ asset: ETH, amount: '700', tags: [] }],
  });
  await stage.run();
  expect(await stage.depositState(String(blockchainHash))).toBe('internal');
  expect(stage.open.openBreak('unknown_to_custody')).toMatchObject({
    vault_id: other.vaultId,
    expected: '0',
    actual: '700',
  });
});
