import { expect, test } from 'vitest';
import type { Failure } from '../../../src/custody/call/outcome.ts';
import { ETH, forgedConfirmation, GRACE_MS, type DepositAddress, type Stage } from '../stage.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

const REFUSED: Failure = {
  kind: 'refused',
  error: { statusCode: 400, errorCode: 'BR-1', errorMessage: '', timestamp: '', endpoint: '' },
};
const FAILED: Failure = { kind: 'unavailable', cause: { kind: 'server-error', status: 500 } };

/** Lets look-ups of transactions whose id begins with `made-up` end so. */
function failsAt({ client }: Stage, failure: Failure): void {
  const one = client.transaction.bind(client);
  client.transaction = async (id, ...asked) => {
    if (id.startsWith('made-up')) return failure;
    return one(id, ...asked);
  };
}

test.each([
  ['that no request can hold', '..', FAILED],
  ['that the API refuses', 'made-up', REFUSED],
  ['at which the API fails', 'made-up', FAILED],
])(
  'a deposit that a webhook named by an id %s is looked up by its hash, and credited',
  async (_, transactionId, failure) => {
    const { stage, sweep } = await startVerifying();
    failsAt(stage, failure);
    const depositAddress = await stage.depositAddress();
    stage.loses = () => true;
    const blockchainHash = await stage.pay(depositAddress, 700);
    const balanceChanges = [{ asset: ETH, amount: '700', tags: [] }];
    const forged = { type: 'mempool', transactionId, blockchainHash, balanceChanges };
    await stage.deliver(forgedConfirmation(depositAddress, { ...forged, confirmations: 0 }));
    await stage.deliverLost();
    await stage.mine(3);
    for (let run = 0; run < 8; run += 1) {
      await stage.run(sweep);
      await stage.caller.advance(GRACE_MS);
    }
    expect(stage.open.feedLines()).toEqual(['credit 700']);
  },
);

test('a look-up at which the API fails every time does not starve the others', async () => {
  const { stage, sweep } = await startVerifying();
  failsAt(stage, FAILED);
  const depositAddress = await stage.depositAddress();
  for (const [at, transactionId] of ['made-up', 'nobody'].entries()) {
    const forged = { id: `forged-${at}`, blockchainHash: `0x${at}`, transactionId };
    await stage.deliver(forgedConfirmation(depositAddress, forged));
  }
  for (let run = 0; run < 5; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(60_000);
  }
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody', 'unknown_to_custody']);
});

/** A debit of 50 units under an id that begins with `made-up`. */
function forgedDebit(
  { vaultId, accountId, addressId }: DepositAddress,
  blockchainHash: string,
  name = '',
) {
  return {
    id: `forged-debit${name}`,
    timestamp: 1,
    stream: 'outgoing',
    type: 'mined',
    vaultId,
    transactionId: `made-up${name}`,
    orderId: `made-up${name}`,
    accountId,
    addressId,
    network: 'ethereum',
    destinationAddress: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    blockchainHash,
    metadata: {},
    balanceChanges: [{ asset: ETH, amount: '-50', tags: [] }],
  };
}

test('a forged withdrawal at whose id the API fails is looked up by its hash, and leaves the books', async () => {
  const { stage, sweep } = await startVerifying();
  failsAt(stage, FAILED);
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 2);
  await stage.deliver(forgedDebit(depositAddress, hash));
  await stage.mine(1);
  for (let run = 0; run < 8; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
  }
  expect(Object.values(stage.open.positions())).toEqual(['700']);
  expect(stage.open.openBreak('unknown_to_custody').severity).toBe('critical');
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test.for(['deposit', 'withdrawal'])(
  'a forged withdrawal leaves the books, although a forged %s at which the API fails arrives each minute',
  async (kind) => {
    const { stage, sweep } = await startVerifying();
    failsAt(stage, FAILED);
    const depositAddress = await stage.depositAddress();
    for (let run = 0; run < 40; run += 1) {
      if (run === 10) await stage.deliver(forgedDebit(depositAddress, '0xd0'));
      const blockchainHash = `0x${run}`;
      const forged = { id: `forged-${run}`, blockchainHash, transactionId: `made-up-${run}` };
      await stage.deliver(
        kind === 'deposit'
          ? forgedConfirmation(depositAddress, forged)
          : forgedDebit(depositAddress, blockchainHash, `-${run}`),
      );
      await stage.run(sweep);
      await stage.caller.advance(60_000);
    }
    const [withdrawal] = stage.open.rows(
      `SELECT custody FROM withdrawals WHERE transaction_id = 'made-up'`,
    );
    expect(withdrawal).toEqual({ custody: 'unknown' });
  },
);
