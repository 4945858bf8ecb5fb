import { beforeEach, expect, test } from 'vitest';
import { textOf } from '../../call.ts';
import type { Answer } from '../../call.ts';
import { covers } from '../coverage.ts';
import { ENDPOINT_CASES } from './endpoint-cases.ts';
import type { Call, Case, Scene } from './endpoint-cases.ts';
import { refusalOf } from '../error-body.ts';
import { signaturesOf } from '../external-signer.ts';
import { holding, matching, TEXT } from '../matchers.ts';
import { logIn, logInAtProvider, mailedCode, newUser } from '../session-tokens.ts';
import { newKeyPair } from '../../client-keys.ts';
import { setStage } from '../stage.ts';
import type { Client } from '../stage.ts';

const stage = setStage('endpoints');

const EMAIL = 'ada@example.com';
let scene: Scene;

beforeEach(async () => {
  const client = await stage.client();
  const vault = await stage.vault({ masterApproval: { approvers: [client.clientId] } });
  const address = await stage.address(vault, 'ripple');
  await stage.fund(address, 'XRP', '50000000');
  const order = await stage.order(vault, { asset: 'ripple:XRP' });
  const [received] = await stage.notifications('outgoing');
  await newUser(stage, EMAIL);
  const tokens = await logIn(stage, EMAIL);
  const hookUrl = stage.receiver.url;
  scene = { client, vault, address, order, notificationId: received?.id ?? '', tokens, hookUrl };
});

function send(call: Call, token: string | undefined): Promise<Answer> {
  return stage.anyone(call.method, call.path, { token, body: call.body });
}

const endpointOf = ({ method, path }: Call) => `${method} /api/v1${path.split('?')[0] ?? ''}`;

/** Invalid variants of a call, each with its expected refusal. */
async function refusalsOf(each: Case, call: Call, token: string): Promise<[Answer, string][]> {
  const endpoint = endpointOf(call);
  const earned: [Answer, string][] = [];
  for (const given of [undefined, 'access_junk', 'a.b.c']) {
    earned.push([await send(call, given), `401 AU-1 ${endpoint}`]);
  }
  if (each.permitted === true) {
    const powerless = await stage.client([]);
    earned.push([await send(call, powerless.token), `403 AU-1 ${endpoint}`]);
  }
  for (const { status, code, ...changes } of each.refuses?.(scene) ?? []) {
    const bad = { ...call, ...changes };
    earned.push([await send(bad, token), `${status} ${code} ${endpointOf(bad)}`]);
  }
  if (call.body !== undefined) {
    const cut = await stage.anyone(call.method, call.path, { token, text: '{"cut":' });
    earned.push([cut, `400 BR-1 ${endpoint}`]);
  }
  return earned;
}

for (const each of ENDPOINT_CASES) {
  const operation = each.row.slice('endpoints/'.length);
  const [method = ''] = operation.split(' ');
  test(`${operation}: success, and every refusal`, covers(each.row), async () => {
    const call: Call = { method, ...each.call(scene) };
    const token = each.token?.(scene) ?? scene.client.token;
    for (const [answer, refusal] of await refusalsOf(each, call, token)) {
      expect(refusalOf(answer)).toBe(refusal);
    }
    const answer = await send(call, token);
    expect([answer.status, answer.body]).toEqual([
      each.status ?? 200,
      holding(each.answers(scene)),
    ]);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
}

test(
  'POST /auth/login-code/request answers the same for users and unknown addresses',
  covers('endpoints/POST /auth/login-code/request'),
  async () => {
    const request = (body: unknown) => stage.anyone('POST', '/auth/login-code/request', { body });
    const [known, stranger] = [await request({ email: EMAIL }), await request({ email: 'x@y.z' })];
    expect([known.status, known.body]).toEqual([200, stranger.body]);
    for (const body of [{}, { email: 'nobody' }, { email: 5 }]) {
      const path = 'POST /api/v1/auth/login-code/request';
      expect(refusalOf(await request(body))).toBe(`400 BR-2 ${path}`);
    }
  },
);

test(
  'POST /auth/login-code/verify answers both tokens for the code, and 401 for any other',
  covers('endpoints/POST /auth/login-code/verify'),
  async () => {
    const path = '/auth/login-code/verify';
    const verify = (body: unknown) => stage.anyone('POST', path, { body });
    await stage.anyone('POST', '/auth/login-code/request', { body: { email: EMAIL } });
    const code = await mailedCode(stage, EMAIL);
    const endpoint = `POST /api/v1${path}`;
    expect(refusalOf(await verify({ email: EMAIL, code: 'wrong' }))).toBe(`401 AU-1 ${endpoint}`);
    expect(refusalOf(await verify({ email: 'x@y.z', code }))).toBe(`401 AU-1 ${endpoint}`);
    expect(refusalOf(await verify({ email: EMAIL }))).toBe(`400 BR-2 ${endpoint}`);
    const { status, body } = await verify({ email: EMAIL, code });
    expect([status, Object.keys(body).sort()]).toEqual([200, ['accessToken', 'refreshToken']]);
  },
);

test(
  'GET /auth/login redirects to the provider, for an allowed callback_url only',
  covers('endpoints/GET /auth/login'),
  async () => {
    const login = (query: string) => stage.anyone('GET', `/auth/login${query}`);
    const allowed = `?callback_url=${encodeURIComponent('http://127.0.0.1:3000/callback')}`;
    const { status, headers } = await login(allowed);
    expect(status).toBe(302);
    const { searchParams } = new URL(headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: TEXT,
      state: TEXT,
      nonce: TEXT,
      redirect_uri: matching(/\/api\/v1\/auth\/[^/]+-callback$/),
    });
    for (const query of ['', '?callback_url=https%3A%2F%2Fevil.example%2F', '?callback_url=']) {
      expect(refusalOf(await login(query))).toBe('400 BR-1 GET /api/v1/auth/login');
    }
  },
);

test(
  'GET /auth/{idp}-callback answers both tokens after consent, and nothing without a login',
  covers('endpoints/GET /auth/{idp}-callback'),
  async () => {
    const page = await logInAtProvider(stage, EMAIL);
    expect(page.status).toBe(200);
    expect(Object.keys(JSON.parse(page.text) as object).sort()).toEqual([
      'accessToken',
      'refreshToken',
    ]);
    const { pathname } = new URL(page.last);
    const forged = await stage.anyone('GET', `${pathname.slice('/api/v1'.length)}?code=c&state=s`);
    expect(refusalOf(forged)).toBe(`401 AU-1 GET ${pathname}`);
    const path = '/auth/nobody-callback';
    const unknown = await stage.anyone('GET', `${path}?code=c&state=s`);
    expect(refusalOf(unknown)).toBe(`404 NE-1 GET /api/v1${path}`);
  },
);

test(
  'every path is below /api/v1, every body is JSON, every token a Bearer',
  covers('endpoints/prefix', 'endpoints/json', 'endpoints/bearer'),
  async () => {
    const { token } = scene.client;
    for (const operation of stage.contract.operations()) {
      const [method = '', path = ''] = operation.split(' ');
      const bare = path.replace('/api/v1', '');
      const answer = await fetch(`${stage.proxy.url}${bare}`, { method });
      expect([operation, answer.status]).toEqual([operation, 404]);
    }
    const url = `${stage.proxy.url}/api/v1/accounts`;
    const form = { authorization: `Bearer ${token}` };
    const body = new URLSearchParams({ vaultId: scene.vault.vaultId, name: 'form' });
    expect((await fetch(url, { method: 'POST', headers: form, body })).status).toBe(400);
    for (const authorization of [token, `Basic ${token}`, `Token ${token}`, 'Bearer', 'Bearer ']) {
      const answer = await fetch(`${stage.proxy.url}/api/v1/networks`, {
        headers: { authorization },
      });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  },
);

/** Calls beyond the specification that both programs need, each once with success. */
async function callTheRest({ call }: Client): Promise<void> {
  const { vault, address, order } = scene;
  const { accountId, addressId } = address;
  const transaction = `/transactions/${textOf(order, 'transactionId')}`;
  const external = await stage.vault({ externalSigner: true });
  await stage.fund(await stage.address(external, 'ethereum'), 'ETH', '1000000000000000000');
  const unsigned = await stage.order(external, { asset: 'ethereum:ETH' });
  const unsignedPath = `/transactions/${textOf(unsigned, 'transactionId')}`;
  const declined = await stage.order(external, { asset: 'ethereum:ETH' });
  const { clientId } = scene.client;
  const calls: [string, string, unknown?][] = [
    ['GET', `/vaults/${vault.vaultId}`],
    ['GET', `/vaults/${vault.vaultId}/accounts`],
    ['GET', '/accounts'],
    ['GET', `/accounts/${accountId}`],
    ['GET', `/accounts/${accountId}/addresses`],
    ['GET', '/addresses'],
    ['GET', `/addresses/${addressId}`],
    ['GET', `/addresses/${addressId}/blockchain-transactions`],
    ['GET', `/addresses/${addressId}/memos`],
    ['GET', '/memos'],
    ['POST', `${transaction}/approvals`, { decision: 'approve' }],
    ['GET', `${transaction}/approvals`],
    ['POST', `${unsignedPath}/signatures`, { signatures: signaturesOf(external.xprv, unsigned) }],
    ['POST', `/transactions/${textOf(declined, 'transactionId')}/cancel`],
    ['GET', '/api-clients'],
    ['POST', `/api-clients/${clientId}/public-keys`, { publicKeyPem: newKeyPair().publicKeyPem }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await call(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, expect.toBeOneOf([200, 201])]);
  }
}

test('every documented call has had a success, and wants credentials unless it gives them', async () => {
  await callTheRest(scene.client);
  const open = ['/auth/login-code/request', '/auth/login-code/verify', '/auth/login', '-callback'];
  const silent = stage.contract.operations().filter((each) => !stage.proxy.succeeded.has(each));
  expect(silent).toEqual([]);
  for (const operation of stage.contract.operations()) {
    const [method = '', path = ''] = operation.replaceAll(/\{\w+\}/g, 'none').split(' ');
    if (open.some((each) => path.endsWith(each))) continue;
    const answer = await stage.anyone(method, path.replace('/api/v1', ''));
    expect(refusalOf(answer)).toBe(`401 AU-1 ${method} ${path}`);
  }
});
