import { beforeEach, expect, test } from 'vitest';
import type { Notification } from '../../../../src/wire/notification.ts';
import type { OUTGOING_TYPES } from '../../../../src/wire/event-names.ts';
import type { Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { signaturesOf } from '../external-signer.ts';
import { including, TEXT } from '../matchers.ts';
import { setStage } from '../stage.ts';
import type { Vault } from '../stage.ts';
import { OUTSIDE } from '../../outside-addresses.ts';

const stage = setStage('outgoing');

const ETH = '1000000000000000000';
const COMMON = [
  'id',
  'timestamp',
  'stream',
  'type',
  'vaultId',
  'transactionId',
  'orderId',
  'network',
  'destinationAddress',
  'metadata',
];

/** All notifications of one scenario on the stream. */
let received: Notification[] = [];
beforeEach(() => {
  received = [];
});

async function funded(settings: Json = {}, amount = ETH): Promise<Vault> {
  const vault = await stage.vault(settings);
  await stage.fund(await stage.address(vault, 'ethereum'), 'ETH', amount);
  return vault;
}

const orderFrom = (vault: Vault, more: Json = {}) =>
  stage.order(vault, { asset: 'ethereum:ETH', ...more });

async function look(): Promise<void> {
  received.push(...(await stage.notifications('outgoing')));
}

/** The only notification of the type, and its fields beyond those that every one has. */
function only(type: (typeof OUTGOING_TYPES)[number]): { body: Notification; extra: string[] } {
  const [body, ...more] = received.filter((each) => each.type === type);
  if (body === undefined || more.length > 0) throw new Error(`${1 + more.length} ${type}`);
  expect(Object.keys(body)).toEqual(including(...COMMON));
  return {
    body,
    extra: Object.keys(body)
      .filter((key) => !COMMON.includes(key))
      .sort(),
  };
}

test(
  'each event of a plain order carries the common fields and its own, and nothing else',
  covers(
    'outgoing/type/pending',
    'outgoing/type/requested',
    'outgoing/type/inited',
    'outgoing/type/signed',
    'outgoing/type/submitted',
    'outgoing/type/mined',
    'outgoing/field/vaultId',
    'outgoing/field/transactionId',
    'outgoing/field/orderId',
    'outgoing/field/network',
    'outgoing/field/destinationAddress',
    'outgoing/field/metadata',
    'outgoing/field/blockchainHash',
    'outgoing/field/balanceChanges',
    'outgoing/field/quorum-approvals',
  ),
  async () => {
    const vault = await funded();
    const order = await orderFrom(vault, {
      destinationAddress: OUTSIDE.ethereum,
      metadata: { note: 'n' },
    });
    await stage.mine('ethereum');
    await look();
    expect(only('pending').extra).toEqual(['approvals', 'quorum']);
    expect(only('requested').extra).toEqual([]);
    expect(only('inited').extra).toEqual([]);
    expect(only('signed').extra).toEqual([]);
    expect(only('submitted').extra).toEqual(['blockchainHash']);
    expect(only('mined').extra).toEqual(['balanceChanges', 'blockchainHash']);
    const { vaultId } = vault;
    const { transactionId, orderId, blockchainHash } = order;
    for (const body of received) {
      expect(body).toMatchObject({
        vaultId,
        transactionId,
        orderId,
        network: 'ethereum',
        destinationAddress: OUTSIDE.ethereum,
        metadata: { note: 'n' },
      });
    }
    const fee = { gas: '21000', gasPrice: '1000000000', fee: '21000000000000' };
    expect(only('submitted').body).toMatchObject({ blockchainHash, metadata: fee });
    expect(only('mined').body).toMatchObject({ blockchainHash, metadata: fee });
  },
);

test(
  'events of an approval flow carry its flowId; the approvals grow with each step',
  covers('outgoing/type/approval-pending', 'outgoing/type/approved', 'outgoing/field/flowId'),
  async () => {
    const [first, second] = [await stage.client(), await stage.client()];
    const approvers = [first.clientId, second.clientId];
    const order = await orderFrom(await funded({ quorum: 2, approvers }));
    const path = `/transactions/${String(order['transactionId'])}/approvals`;
    await first.call('POST', path, { decision: 'approve' });
    await second.call('POST', path, { decision: 'approve' });
    await look();
    expect(only('approval-pending').extra).toEqual(['approvals', 'flowId', 'quorum']);
    expect(only('approval-pending').body).toMatchObject({ quorum: 2, approvals: [] });
    expect(only('approved').extra).toEqual(['approvals', 'flowId', 'quorum']);
    expect(only('approved').body['approvals']).toEqual([
      { clientId: first.clientId, decision: 'approve', timestamp: TEXT },
    ]);
    expect(only('requested').extra).toEqual(['flowId']);
    expect(only('submitted').extra).toEqual(['blockchainHash', 'flowId']);
    const flows = new Set(received.map((each) => each['flowId']));
    expect([...flows]).toEqual([order['flowId']]);
  },
);

test(
  'to-sign carries nothing beyond the common fields',
  covers('outgoing/type/to-sign'),
  async () => {
    const vault = await funded({ externalSigner: true });
    const order = await orderFrom(vault);
    const signatures = signaturesOf(vault.xprv, order);
    await stage.api('POST', `/transactions/${String(order['transactionId'])}/signatures`, {
      signatures,
    });
    await look();
    expect(only('to-sign').extra).toEqual([]);
    expect(only('signed').extra).toEqual([]);
  },
);

test('hex of an external signer may have the prefix that EVM tools write', async () => {
  const vault = await funded({ externalSigner: true });
  const order = await orderFrom(vault);
  const signatures = signaturesOf(vault.xprv, order).map((signature) =>
    Object.fromEntries(
      Object.entries(signature).map(([field, hex]) => [field, `0x${String(hex)}`]),
    ),
  );
  const path = `/transactions/${String(order['transactionId'])}/signatures`;
  expect(await stage.api('POST', path, { signatures })).toMatchObject({
    body: { status: 'submitted' },
  });
});

test(
  'warning and cancelled carry a reasonCode, and no event carries reasonDetails',
  covers('outgoing/type/warning', 'outgoing/type/cancelled', 'outgoing/field/reasonCode'),
  async () => {
    await orderFrom(await funded({}, '500'));
    await stage.advance(24 * 3_600_000);
    await look();
    expect(only('warning').extra).toEqual(['reasonCode']);
    expect(only('cancelled').extra).toEqual(['reasonCode']);
    for (const body of received) {
      expect('reasonCode' in body).toBe(['warning', 'cancelled'].includes(body.type));
    }
  },
);

test(
  'failed, rolledback and replaced carry the hash that was submitted',
  covers('outgoing/type/failed', 'outgoing/type/rolledback', 'outgoing/type/replaced'),
  async () => {
    const vault = await funded();
    await stage.faults({ transactions: [{ fault: 'revert', count: 1 }] });
    const failed = await orderFrom(vault);
    await stage.mine('ethereum');
    const replaced = await orderFrom(vault);
    await orderFrom(vault, { replacesTransactionId: replaced['transactionId'] });
    await stage.mine('ethereum');
    const rolledback = await orderFrom(vault);
    await stage.reorg('ethereum', 0, [String(rolledback['blockchainHash'])]);
    await look();
    for (const [type, order] of [
      ['failed', failed],
      ['replaced', replaced],
      ['rolledback', rolledback],
    ] as const) {
      expect(only(type).extra).toEqual(['blockchainHash']);
      const { transactionId, blockchainHash } = order;
      expect(only(type).body).toMatchObject({ transactionId, blockchainHash });
    }
  },
);

test(
  'accountId, addressId and memo are there when the order names them, and only then',
  covers('outgoing/field/accountId', 'outgoing/field/addressId', 'outgoing/field/memo'),
  async () => {
    const vault = await stage.vault();
    const address = await stage.address(vault, 'ripple');
    await stage.fund(address, 'XRP', '50000000');
    const { accountId, addressId } = address;
    const scopes: Json[] = [{}, { accountId }, { addressId }, { accountId, addressId, memo: '77' }];
    const expected = [
      {},
      { accountId },
      { accountId, addressId },
      { accountId, addressId, memo: '77' },
    ];
    for (const [index, scope] of scopes.entries()) {
      await stage.order(vault, { asset: 'ripple:XRP', ...scope });
      for (const body of await stage.notifications('outgoing')) {
        const found = Object.entries(body).filter(([key]) =>
          ['accountId', 'addressId', 'memo'].includes(key),
        );
        expect(Object.fromEntries(found)).toEqual(expected[index]);
      }
    }
  },
);
