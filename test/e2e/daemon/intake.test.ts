import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { clientCert, pinOf } from '../../tls/header-values.ts';
import { Daemon } from '../daemon.ts';

function confirmation(id: string): string {
  return JSON.stringify({
    id,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: 'v1',
    accountId: 'a1',
    addressId: 'ad1',
    network: 'ethereum',
    blockchainHash: `0x${id}`,
    transactionId: `tx-${id}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '7', tags: [] }],
  });
}

async function statusOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { status: string }).status;
}

test('exactly one of a hundred concurrent deliveries of one id is accepted', async () => {
  const daemon = await Daemon.start();
  const body = confirmation('same');
  const answers = await Promise.all(Array.from({ length: 100 }, () => daemon.deliver(body)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
  const statuses = await Promise.all(answers.map(statusOf));
  expect(statuses.filter((status) => status === 'accepted')).toHaveLength(1);
  expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(99);
  const { data } = await daemon.get<{ data: { amount: string }[] }>('/v1/balances');
  expect(data.map(({ amount }) => amount)).toEqual(['7']);
});

/** What the daemon answers to the bytes of a request. */
async function answerTo(daemon: Daemon, request: string): Promise<string> {
  const { hostname, port } = new URL(daemon.url);
  const socket = connect(Number(port), hostname);
  // Open until the server closes it, as it does after such requests.
  socket.write(request);
  return text(socket);
}

test('a request of HTTP/1.0 need not name a host, as health checks of load balancers do not', async () => {
  const daemon = await Daemon.start();
  expect(await answerTo(daemon, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK/);
  const body = confirmation('one');
  const head = `POST /hooks/${daemon.pathTokens[0]} HTTP/1.0\r\nContent-Length: ${body.length}`;
  expect(await answerTo(daemon, `${head}\r\n\r\n${body}`)).toContain('{"status":"accepted"}');
  expect(await answerTo(daemon, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400/);
});

test('a sender that does not end its headers is cut after ten seconds', async () => {
  const daemon = await Daemon.start();
  const startedAt = performance.now();
  const answer = await answerTo(daemon, 'POST /hooks/x HTTP/1.1\r\nHost: x\r\n');
  const tookMs = performance.now() - startedAt;
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(tookMs).toBeGreaterThan(9_000);
  // Node by itself waits for a minute.
  expect(tookMs).toBeLessThan(40_000);
});

test('while a path token is being changed, both take deliveries into the same books', async () => {
  const daemon = await Daemon.start();
  const [former, next] = daemon.pathTokens;
  expect(await statusOf(await daemon.deliver(confirmation('one'), former))).toBe('accepted');
  expect(await statusOf(await daemon.deliver(confirmation('one'), next))).toBe('duplicate');
  expect(await statusOf(await daemon.deliver(confirmation('two'), next))).toBe('accepted');
  const unknown = await daemon.deliver(confirmation('three'), 'f'.repeat(48));
  expect(unknown.status).toBe(404);
  const { pagination } = await daemon.get<{ pagination: { total: number } }>('/v1/notifications');
  expect(pagination.total).toBe(2);
});

test('neither log nor error says a path token', async () => {
  const daemon = await Daemon.start();
  await daemon.deliver('not JSON');
  await daemon.deliver(confirmation('one'));
  const wrong = await fetch(`${daemon.url}/hooks/${daemon.pathTokens[0]}`);
  expect(wrong.status).toBe(405);
  expect(await wrong.text()).not.toContain(daemon.pathTokens[0]);
  for (const path of ['//hooks/TOKEN', '/hooks/TOKEN/', '/x/hooks/TOKEN', '/hooks//TOKEN']) {
    const named = path.replace('TOKEN', daemon.pathTokens[0]);
    const lost = await fetch(`${daemon.url}${named}`, { method: 'POST', body: 'x' });
    expect([path, lost.status, lost.headers.get('content-type')]).toEqual([
      path,
      404,
      'application/problem+json',
    ]);
    expect([path, await lost.text()]).not.toEqual([
      path,
      expect.stringContaining(daemon.pathTokens[0]),
    ]);
  }
  const output = daemon.stderr();
  for (const token of daemon.pathTokens) expect(output).not.toContain(token);
});

test('the log says who is refused and why: the pin of a certificate, and nothing of the token', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as { intake: object };
  const clientCertificate = { form: 'client-cert', pins: [pinOf(CERTIFICATES.valid.cert)] };
  const intake = { ...config.intake, clientCertificate };
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, intake }));
  await daemon.start();
  const post = async (token: string, pem: string): Promise<number> => {
    const headers = { 'client-cert': clientCert(pem) };
    const request = { method: 'POST', body: confirmation('one'), headers };
    return (await fetch(`${daemon.url}/hooks/${token}`, request)).status;
  };
  const [token] = daemon.pathTokens;
  const strange = `${token.slice(0, -1)}z`;
  const { valid, renewed } = CERTIFICATES;
  expect(await post(token, renewed.cert)).toBe(403);
  // Without the certificate, a token is neither known nor unknown.
  expect(await post(strange, renewed.cert)).toBe(403);
  expect(await post(strange, valid.cert)).toBe(404);
  expect(await post(token, valid.cert)).toBe(200);
  const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
  expect(metrics).toContain('counterfoil_certificate_refusals_total{reason="not_pinned"} 2\n');
  expect(metrics).toContain('counterfoil_certificate_refusals_total{reason="missing"} 0\n');
  await daemon.end('SIGTERM');
  const lines = daemon.stderr().split('\n');
  const refused = lines.filter((line) => line.includes('"refused":'));
  expect(refused).toEqual([
    expect.stringContaining(`"pin":"${pinOf(renewed.cert)}"`),
    expect.stringContaining('intake.pathTokens'),
  ]);
  expect(daemon.stderr()).not.toContain(strange.slice(0, -1));
});
