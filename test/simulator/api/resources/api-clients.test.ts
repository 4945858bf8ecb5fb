import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VIRTUAL_START_MS } from '../../../../src/simulator/clock.ts';
import { startCaller } from '../../core-caller.ts';
import type { Caller } from '../../core-caller.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await startCaller();
});
afterAll(() => caller.stop());

/**
 * Asynchronous: on a busy machine ten keys take longer than the server keeps an idle connection.
 * While the thread is blocked, neither side sees its timer before the next call goes out on that
 * connection.
 */
const generate = promisify(generateKeyPair);

const rsaPair = () => generate('rsa', { modulusLength: 2048 });

async function keyPair() {
  const { publicKey, privateKey } = await rsaPair();
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const kid = createHash('sha256').update(der).digest('hex');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const tokenOf = (clientId: string): Promise<string> =>
    new SignJWT({ iss: clientId, sub: kid, exp: VIRTUAL_START_MS / 1000 + 3600 })
      .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid })
      .sign(privateKey);
  return { kid, pem, tokenOf };
}

const attach = (clientId: string, publicKeyPem: string, token?: string) =>
  caller.api(
    'POST',
    `/api-clients/${clientId}/public-keys`,
    { publicKeyPem },
    token === undefined ? {} : { token },
  );

test('a client calls with a key attached through the API, beside the one it had', async () => {
  const { clientId, token } = await caller.client(['Vault:read']);
  const { kid, pem, tokenOf } = await keyPair();
  const fresh = await tokenOf(clientId);
  expect((await caller.api('GET', '/vaults', undefined, { token: fresh })).status).toBe(401);
  const attached = await attach(clientId, pem);
  expect([attached.status, attached.body]).toEqual([201, { kid, publicKeyPem: pem }]);
  expect((await attach(clientId, pem)).status).toBe(200);
  for (const each of [fresh, token]) {
    expect((await caller.api('GET', '/vaults', undefined, { token: each })).status).toBe(200);
  }
  // The key is valid for its own client only.
  const stolen = await tokenOf(caller.clientId);
  expect((await caller.api('GET', '/vaults', undefined, { token: stolen })).status).toBe(401);
  const listed = await caller.api('GET', `/api-clients?filter[clientId]=${clientId}`);
  expect(listed.body).toMatchObject({
    data: [{ clientId, type: 'api', permissions: ['Vault:read'] }],
    pagination: { page: 0, pageSize: 100, total: 1 },
  });
  const [row] = listed.body['data'] as { publicKeys: { kid: string }[] }[];
  expect(row?.publicKeys.map((key) => key.kid)).toContain(kid);
  expect(row?.publicKeys).toHaveLength(2);
});

test.each<[string, readonly string[], number]>([
  ['nothing', [], 403],
  ['Vault:read', ['Vault:read'], 403],
  ['manageNotifications', ['manageNotifications'], 403],
  ['manageVaults', ['manageVaults'], 200],
])('with %s the list of clients is answered %j with %i', async (_name, permissions, status) => {
  const { token } = await caller.client(permissions);
  expect((await caller.api('GET', '/api-clients', undefined, { token })).status).toBe(status);
});

// A client that attaches a key can act as the other client from then on.
test.each<[held: readonly string[], target: readonly string[], status: number]>([
  [['Vault:read', 'manageNotifications'], [], 403],
  [['manageVaults'], [], 201],
  [['manageVaults'], ['manageVaults'], 201],
  [['manageVaults'], ['Vault:read'], 403],
  [['manageVaults'], ['manageNotifications'], 403],
  [['manageVaults', 'manageNotifications:v'], ['manageNotifications:v'], 201],
  [['manageVaults', 'manageNotifications:v'], ['manageNotifications:w'], 403],
  [['manageVaults', 'manageNotifications:v'], ['manageNotifications'], 403],
  [['manageVaults', 'manageNotifications'], ['manageNotifications:v'], 201],
])('%j attaching a key to a client with %j is %i', async (held, target, status) => {
  const { token } = await caller.client(held);
  const { clientId } = await caller.client(target);
  const answer = await attach(clientId, (await keyPair()).pem, token);
  expect([answer.status, answer.body['errorCode']]).toEqual([
    status,
    status === 403 ? 'AU-1' : undefined,
  ]);
});

test('an unknown client, an invalid key, and one key too many are refused', async () => {
  const { pem } = await keyPair();
  expect((await attach('nobody', pem)).body['errorCode']).toBe('NE-1');
  const { clientId } = await caller.client([]);
  expect((await attach(clientId, 'hello')).body['errorCode']).toBe('BR-1');
  const curve = (await generate('ec', { namedCurve: 'P-256' })).publicKey;
  const curvePem = curve.export({ type: 'spki', format: 'pem' }).toString();
  expect((await attach(clientId, curvePem)).body['errorCode']).toBe('BR-1');
  // OpenSSL would derive the public half, but a private key must never reach the service.
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    const own = (await rsaPair()).privateKey;
    const answer = await attach(clientId, own.export({ type, format: 'pem' }).toString());
    expect([answer.status, answer.body['errorCode']]).toEqual([400, 'BR-1']);
    expect(answer.body['errorMessage']).toContain('private key');
  }
  expect((await caller.api('POST', `/api-clients/${clientId}/public-keys`, {})).status).toBe(400);
  const answers: unknown[] = [];
  for (let count = 0; count < 10; count += 1) {
    const { status, body } = await attach(clientId, (await keyPair()).pem);
    answers.push(body['errorCode'] ?? status);
  }
  expect(answers).toEqual([...Array<number>(9).fill(201), 'UE-1']);
});
