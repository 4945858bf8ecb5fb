import { textOf } from '../../call.ts';
import type { Json } from '../../call.ts';
import { ANY_ARRAY, holding, including, TEXT } from '../matchers.ts';
import type { RowId } from '../rows.ts';
import type { SessionTokens } from '../session-tokens.ts';
import { ALL_STREAMS } from '../stage.ts';
import type { Address, Client, Vault } from '../stage.ts';
import { OUTSIDE } from '../../outside-addresses.ts';

/** The records that the calls use, made for each test. */
export interface Scene {
  readonly client: Client;
  readonly vault: Vault;
  readonly address: Address;
  /** An order that waits for its master approver; its bundle is built. */
  readonly order: Json;
  /** A delivered notification of the order. */
  readonly notificationId: string;
  readonly tokens: SessionTokens;
  /** An allowed webhook URL. */
  readonly hookUrl: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Refusal extends Partial<Call> {
  readonly status: number;
  readonly code: string;
}

export interface Case {
  /** The row of the specification; it begins with the method. */
  readonly row: Extract<RowId, `endpoints/${string} /${string}`>;
  readonly call: (scene: Scene) => { path: string; body?: unknown };
  /** The credentials of the call; default: a client's JWT. */
  readonly token?: (scene: Scene) => string;
  readonly status?: 200 | 201;
  /** The expected answer of a success. */
  readonly answers: (scene: Scene) => Json;
  /** Whether the specification requires a permission. */
  readonly permitted?: true;
  /** Invalid inputs: the change of the call, and the expected refusal. */
  readonly refuses?: (scene: Scene) => Refusal[];
}

const subscriptionOf = ({ vault }: Scene): string => `/subscriptions/${vault.vaultId}`;

const orderOf = ({ order }: Scene): string => textOf(order, 'transactionId');

const newOrder = ({ vault }: Scene): Json => ({
  orderId: 'new',
  vaultId: vault.vaultId,
  network: 'ripple',
  asset: 'ripple:XRP',
  amount: '7',
  destinationAddress: OUTSIDE.ripple,
});

const newAddress = ({ address }: Scene): Json => ({
  accountId: address.accountId,
  network: 'bitcoin',
});

/** The calls of the specification that take credentials. */
export const ENDPOINT_CASES: readonly Case[] = [
  {
    row: 'endpoints/POST /auth/refresh',
    call: () => ({ path: '/auth/refresh' }),
    token: (scene) => scene.tokens.refreshToken,
    answers: () => ({ accessToken: TEXT }),
  },
  {
    row: 'endpoints/POST /auth/revoke',
    call: () => ({ path: '/auth/revoke' }),
    token: (scene) => scene.tokens.refreshToken,
    answers: () => ({}),
  },
  {
    row: 'endpoints/POST /auth/revoke-all',
    call: () => ({ path: '/auth/revoke-all' }),
    token: (scene) => scene.tokens.accessToken,
    answers: () => ({}),
  },
  {
    row: 'endpoints/GET /auth/session',
    call: () => ({ path: '/auth/session' }),
    token: (scene) => scene.tokens.accessToken,
    answers: () => ({ clientId: TEXT }),
  },
  {
    row: 'endpoints/POST /auth/logout',
    call: () => ({ path: '/auth/logout' }),
    token: (scene) => scene.tokens.accessToken,
    answers: () => ({}),
  },
  {
    row: 'endpoints/POST /subscriptions/{vaultId}',
    call: (scene) => ({
      path: subscriptionOf(scene),
      body: { webhookUrl: scene.hookUrl, streams: ['incoming'] },
    }),
    answers: (scene) => ({
      data: [
        {
          vaultId: scene.vault.vaultId,
          stream: 'incoming',
          webhookUrl: scene.hookUrl,
          createdAt: TEXT,
        },
      ],
    }),
    permitted: true,
    refuses: (scene) => [
      { path: '/subscriptions/none', status: 404, code: 'NE-1' },
      { body: { streams: ['incoming'] }, status: 400, code: 'BR-2' },
      { body: { webhookUrl: 'not a url', streams: ['incoming'] }, status: 400, code: 'BR-2' },
      { body: { webhookUrl: 'ftp://host/x', streams: ['incoming'] }, status: 400, code: 'BR-2' },
      { body: { webhookUrl: scene.hookUrl, streams: [] }, status: 400, code: 'BR-2' },
      { body: { webhookUrl: scene.hookUrl, streams: ['all'] }, status: 400, code: 'BR-2' },
      {
        body: { webhookUrl: 'http://10.0.0.1/', streams: ['incoming'] },
        status: 400,
        code: 'BR-1',
      },
    ],
  },
  {
    row: 'endpoints/GET /subscriptions/{vaultId}',
    call: (scene) => ({ path: subscriptionOf(scene) }),
    answers: () => ({ data: ALL_STREAMS.map((stream) => holding({ stream })) }),
    permitted: true,
    refuses: () => [{ path: '/subscriptions/none', status: 404, code: 'NE-1' }],
  },
  {
    row: 'endpoints/DELETE /subscriptions/{vaultId}',
    call: (scene) => ({ path: subscriptionOf(scene) }),
    answers: () => ({ data: [] }),
    permitted: true,
    refuses: () => [{ path: '/subscriptions/none', status: 404, code: 'NE-1' }],
  },
  {
    row: 'endpoints/PUT /subscriptions/{vaultId}/confirmations',
    call: (scene) => ({
      path: `${subscriptionOf(scene)}/confirmations`,
      body: { confirmations: { ethereum: 3 } },
    }),
    answers: () => ({ confirmations: { ethereum: 3 } }),
    permitted: true,
    refuses: () => [
      { path: '/subscriptions/none/confirmations', status: 404, code: 'NE-1' },
      { body: {}, status: 400, code: 'BR-2' },
      { body: { confirmations: { ethereum: '3' } }, status: 400, code: 'BR-2' },
      { body: { confirmations: { ethereum: 1.5 } }, status: 400, code: 'BR-2' },
      { body: { confirmations: { ethereum: 2 } }, status: 400, code: 'BR-1' },
      { body: { confirmations: { dogecoin: 1 } }, status: 400, code: 'BR-1001' },
    ],
  },
  {
    row: 'endpoints/GET /subscriptions/{vaultId}/confirmations',
    call: (scene) => ({ path: `${subscriptionOf(scene)}/confirmations` }),
    answers: () => ({ confirmations: {} }),
    permitted: true,
    refuses: () => [{ path: '/subscriptions/none/confirmations', status: 404, code: 'NE-1' }],
  },
  {
    row: 'endpoints/PATCH /subscriptions/{vaultId}/notifications/retry-schedule',
    call: (scene) => ({ path: `${subscriptionOf(scene)}/notifications/retry-schedule` }),
    answers: () => ({ nextTryAt: null }),
    permitted: true,
    refuses: () => [
      { path: '/subscriptions/none/notifications/retry-schedule', status: 404, code: 'NE-1' },
    ],
  },
  {
    row: 'endpoints/POST /subscriptions/notifications/{notificationId}/replay',
    call: (scene) => ({
      path: `/subscriptions/notifications/${scene.notificationId}/replay`,
      body: { url: `${scene.hookUrl}/again`, deliveryId: 'mine' },
    }),
    answers: () => ({ deliveryId: 'mine', statusCode: 200, delivered: true }),
    permitted: true,
    refuses: () => [
      { path: '/subscriptions/notifications/none/replay', status: 404, code: 'NE-1' },
      { body: {}, status: 400, code: 'BR-2' },
      { body: { url: 'nowhere' }, status: 400, code: 'BR-2' },
      { body: { url: 'http://169.254.169.254/' }, status: 400, code: 'BR-1' },
    ],
  },
  {
    row: 'endpoints/GET /subscriptions/notifications',
    call: (scene) => ({ path: `/subscriptions/notifications?transactionId=${orderOf(scene)}` }),
    answers: (scene) => ({
      data: including(holding({ id: scene.notificationId, type: 'pending', status: 'delivered' })),
    }),
    permitted: true,
    refuses: () => [
      { path: '/subscriptions/notifications?transactionId=none', status: 404, code: 'NE-1' },
      { path: '/subscriptions/notifications', status: 400, code: 'BR-1' },
    ],
  },
  {
    row: 'endpoints/GET /networks',
    call: () => ({ path: '/networks?filter[key]=ethereum' }),
    answers: () => ({
      data: [holding({ key: 'ethereum', confirmations: [1, 3, 12] })],
    }),
    refuses: () => [{ path: '/networks?sort=colour:asc', status: 400, code: 'BR-1' }],
  },
  {
    row: 'endpoints/GET /vaults',
    call: () => ({ path: '/vaults?page=0&pageSize=5&search=vault&relations[]=accounts' }),
    answers: (scene) => ({
      data: [
        holding({
          vaultId: scene.vault.vaultId,
          accounts: [holding({ accountId: scene.address.accountId })],
        }),
      ],
      pagination: { page: 0, pageSize: 5, total: 1 },
    }),
    refuses: () => [{ path: '/vaults?relations[]=everything', status: 400, code: 'BR-1' }],
  },
  {
    row: 'endpoints/POST /transactions',
    call: (scene) => ({ path: '/transactions', body: newOrder(scene) }),
    status: 201,
    answers: () => ({ transactionId: TEXT, orderId: 'new', status: 'inited', type: 'outgoing' }),
    refuses: (scene) => [
      { body: { ...newOrder(scene), vaultId: 'none' }, status: 404, code: 'NE-1' },
      { body: { ...newOrder(scene), addressId: 'none' }, status: 404, code: 'NE-1' },
      { body: { ...newOrder(scene), network: 'none' }, status: 400, code: 'BR-1001' },
      { body: { ...newOrder(scene), asset: 'ripple:USD' }, status: 400, code: 'BR-1002' },
      { body: { ...newOrder(scene), amount: 5 }, status: 400, code: 'BR-2' },
      { body: { ...newOrder(scene), memo: 'm'.repeat(300) }, status: 400, code: 'BR-2' },
      { body: { ...newOrder(scene), changeAddressId: 'any' }, status: 400, code: 'BR-1' },
    ],
  },
  {
    row: 'endpoints/GET /transactions',
    call: () => ({ path: '/transactions?filter[status]=inited&filter[network]=ripple' }),
    answers: (scene) => ({ data: [holding({ transactionId: orderOf(scene) })] }),
    refuses: () => [{ path: '/transactions?filter[colour]=red', status: 400, code: 'BR-1' }],
  },
  {
    row: 'endpoints/GET /transactions/{id}',
    call: (scene) => ({
      path: `/transactions/${orderOf(scene)}?relations[]=events&relations[]=approvals`,
    }),
    answers: (scene) => ({
      transactionId: orderOf(scene),
      events: ANY_ARRAY,
      approvals: [],
    }),
    refuses: (scene) => [
      { path: '/transactions/none', status: 404, code: 'NE-1' },
      { path: `/transactions/${orderOf(scene)}?relations[]=none`, status: 400, code: 'BR-1' },
    ],
  },
  {
    row: 'endpoints/GET /transactions/{txId}/master-approval-payload',
    call: (scene) => ({ path: `/transactions/${orderOf(scene)}/master-approval-payload` }),
    answers: (scene) => ({
      transactionId: orderOf(scene),
      payloads: [{ payload: TEXT, hdpath: TEXT }],
    }),
    refuses: () => [
      { path: '/transactions/none/master-approval-payload', status: 404, code: 'NE-1' },
    ],
  },
  {
    row: 'endpoints/GET /transactions/{id}/events',
    call: (scene) => ({ path: `/transactions/${orderOf(scene)}/events` }),
    answers: () => ({
      data: ['pending', 'requested', 'inited'].map((type) => holding({ type })),
    }),
    refuses: () => [{ path: '/transactions/none/events', status: 404, code: 'NE-1' }],
  },
  {
    row: 'endpoints/POST /accounts',
    call: (scene) => ({ path: '/accounts', body: { vaultId: scene.vault.vaultId, name: 'new' } }),
    status: 201,
    answers: () => ({ accountId: TEXT, name: 'new', data: {} }),
    refuses: (scene) => [
      { body: { vaultId: 'none', name: 'new' }, status: 404, code: 'NE-1' },
      { body: { vaultId: scene.vault.vaultId }, status: 400, code: 'BR-2' },
      { body: { vaultId: scene.vault.vaultId, name: '' }, status: 400, code: 'BR-2' },
      { body: [], status: 400, code: 'BR-2' },
    ],
  },
  {
    row: 'endpoints/POST /addresses',
    call: (scene) => ({ path: '/addresses', body: newAddress(scene) }),
    status: 201,
    answers: () => ({ addressId: TEXT, networkAddress: TEXT, hdpath: "m/84'/0'/0'/0/0" }),
    refuses: (scene) => [
      { body: { ...newAddress(scene), accountId: 'none' }, status: 404, code: 'NE-1' },
      { body: { ...newAddress(scene), network: 'none' }, status: 400, code: 'BR-1001' },
      { body: { ...newAddress(scene), hdpath: 'm/x' }, status: 400, code: 'BR-1' },
      { body: { ...newAddress(scene), data: 'text' }, status: 400, code: 'BR-2' },
    ],
  },
  {
    row: 'endpoints/POST /memos',
    call: (scene) => ({ path: '/memos', body: { addressId: scene.address.addressId, memo: '77' } }),
    status: 201,
    answers: (scene) => ({ addressId: scene.address.addressId, memo: '77' }),
    refuses: (scene) => [
      { body: { addressId: 'none', memo: '77' }, status: 404, code: 'NE-1' },
      { body: { addressId: scene.address.addressId }, status: 400, code: 'BR-2' },
      { body: { addressId: scene.address.addressId, memo: '' }, status: 400, code: 'BR-2' },
    ],
  },
];
