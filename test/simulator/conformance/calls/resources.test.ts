import { expect, test } from 'vitest';
import { covers } from '../coverage.ts';
import { matching, TEXT } from '../matchers.ts';
import { logIn, newUser } from '../session-tokens.ts';
import { ALL_STREAMS, setStage } from '../stage.ts';
import { OUTSIDE } from '../../outside-addresses.ts';

const stage = setStage('resources');

test(
  'a vault, its account and its address carry their known fields',
  covers('resources/vault', 'resources/account', 'resources/address'),
  async () => {
    const { vaultId } = await stage.vault({ name: 'treasury' });
    const [vault] = (await stage.api('GET', '/vaults')).rows;
    expect(vault).toMatchObject({ vaultId, name: 'treasury' });
    const request = { vaultId, name: 'main', data: { book: 7 } };
    const account = (await stage.api('POST', '/accounts', request)).body;
    expect(account).toMatchObject({ ...request, id: TEXT, accountId: TEXT });
    expect(account['id']).toBe(account['accountId']);
    const { accountId } = account;
    const wanted = { accountId, network: 'ripple', name: 'desk', data: { team: 'a' } };
    const address = (await stage.api('POST', '/addresses', wanted)).body;
    expect(address).toMatchObject({
      ...wanted,
      id: TEXT,
      addressId: TEXT,
      networkAddress: matching(/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/),
      hdpath: "m/44'/144'/0'/0/0",
    });
    expect(address['id']).toBe(address['addressId']);
    const listed = (await stage.api('GET', `/addresses/${String(address['addressId'])}`)).body;
    expect(listed).toEqual(address);
    const { addressId } = address;
    const memo = (await stage.api('POST', '/memos', { addressId, memo: '77' })).body;
    expect(memo).toMatchObject({ addressId, memo: '77', id: TEXT });
  },
);

test(
  'a transaction carries its known fields as far as it has come',
  covers('resources/transaction'),
  async () => {
    const approver = await stage.client();
    const vault = await stage.vault({ quorum: 1, approvers: [approver.clientId] });
    const { vaultId } = vault;
    const address = await stage.address(vault, 'ripple');
    await stage.fund(address, 'XRP', '50000000');
    const { accountId, addressId } = address;
    const order = { orderId: 'mine', addressId, destinationAddress: OUTSIDE.ripple, memo: '9' };
    const asked = { ...order, metadata: { note: 'n' } };
    const created = await stage.order(vault, { asset: 'ripple:XRP', ...asked });
    const known = { vaultId, ...order, accountId, network: 'ripple', transactionId: TEXT };
    expect(created).toMatchObject({
      ...known,
      flowId: TEXT,
      quorum: 1,
      approvals: [],
      status: 'approval-pending',
      metadata: { note: 'n' },
    });
    expect(created['blockchainHash'] ?? null).toBe(null);
    const path = `/transactions/${String(created['transactionId'])}`;
    await approver.call('POST', `${path}/approvals`, { decision: 'approve' });
    expect((await stage.api('GET', `${path}?relations[]=approvals`)).body).toMatchObject({
      ...known,
      blockchainHash: matching(/^[0-9A-F]{64}$/),
      approvals: [{ clientId: approver.clientId, decision: 'approve' }],
      metadata: { note: 'n', fee: '12' },
    });
    const empty = await stage.address(vault, 'ethereum');
    const poor = await stage.order(vault, { asset: 'ethereum:ETH', addressId: empty.addressId });
    const poorPath = `/transactions/${String(poor['transactionId'])}`;
    await approver.call('POST', `${poorPath}/approvals`, { decision: 'approve' });
    expect((await stage.api('GET', poorPath)).body).toMatchObject({
      reasonCode: 'insufficient_balance',
    });
  },
);

test(
  'a network has a key and its depths, ascending, each once',
  covers('resources/network'),
  async () => {
    const networks = (await stage.api('GET', '/networks')).rows;
    expect(networks.map(({ key }) => String(key)).toSorted()).toEqual([
      'bitcoin',
      'ethereum',
      'litecoin',
      'neo',
      'polygon',
      'ripple',
      'stellar',
      'sui',
      'tron',
    ]);
    for (const { confirmations } of networks) {
      const depths = confirmations as number[];
      expect(depths.length).toBeGreaterThan(0);
      expect(depths).toEqual([...new Set(depths)].sort((left, right) => left - right));
      for (const depth of depths) expect(Number.isInteger(depth)).toBe(true);
    }
  },
);

test(
  'a vault has one subscription per stream, all with one URL',
  covers('resources/subscription'),
  async () => {
    const { vaultId } = await stage.vault();
    const { rows } = await stage.api('GET', `/subscriptions/${vaultId}`);
    const webhookUrl = `${stage.receiver.url}/${vaultId}`;
    expect(rows).toEqual(
      ALL_STREAMS.map((stream) => ({ vaultId, stream, webhookUrl, createdAt: TEXT })),
    );
  },
);

test(
  'a notification record has id, timestamp, stream, type and status',
  covers('resources/notification-record'),
  async () => {
    const vault = await stage.vault();
    await stage.deposit(await stage.address(vault, 'ripple'), 'XRP', '5');
    await stage.mine('ripple');
    const [received] = await stage.notifications('incoming');
    const path = `/subscriptions/notifications?transactionId=${String(received?.transactionId)}`;
    const { rows } = await stage.api('GET', path);
    expect(rows.find(({ id }) => id === received?.id)).toEqual({
      id: received?.id,
      timestamp: received?.timestamp,
      stream: 'incoming',
      type: 'confirmation',
      status: 'delivered',
      vaultId: vault.vaultId,
    });
  },
);

test(
  'an API client has a Client ID and the public key that is attached to it',
  covers('resources/api-client'),
  async () => {
    const { clientId } = await stage.client();
    const { rows } = await stage.api('GET', `/api-clients?filter[clientId]=${clientId}`);
    const { kid, publicKeyPem } = stage.keys;
    expect(rows).toMatchObject([{ clientId, type: 'api', publicKeys: [{ kid, publicKeyPem }] }]);
  },
);

test(
  'session tokens are an access token and a refresh token, never the same',
  covers('resources/session-tokens'),
  async () => {
    await newUser(stage, 'ada@example.com');
    const tokens = [await logIn(stage, 'ada@example.com'), await logIn(stage, 'ada@example.com')];
    const all = tokens.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    expect(new Set(all).size).toBe(4);
  },
);

test(
  'a list answers data and pagination {page, pageSize, total}',
  covers('resources/pagination-envelope'),
  async () => {
    const { body } = await stage.api('GET', '/networks?pageSize=2&page=1');
    expect(Object.keys(body).sort()).toEqual(['data', 'pagination']);
    expect(body['data']).toHaveLength(2);
    expect(body['pagination']).toEqual({ page: 1, pageSize: 2, total: 9 });
  },
);
