import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { clientCert, pinOf } from '../../tls/header-values.ts';
import { Daemon } from '../daemon.ts';
import { eventually } from '../program.ts';

const { valid, renewed } = CERTIFICATES;
const PIN = pinOf(valid.cert);
const NEXT = pinOf(renewed.cert);

const REQUESTS_A_SECOND = 500;
const REQUESTS = 2_500;
/** Between two reloads: half a second at this rate. */
const REQUESTS_BETWEEN = 250;
const CONNECTIONS = 16;
/** Requests between two that open a connection of their own. */
const BETWEEN_HANDSHAKES = 10;
/** A machine that cannot keep the rate gets less, not a longer queue. */
const UNANSWERED_MAX = 100;
const TICK_MS = 10;

type Config = Record<string, object>;

/** A daemon whose configuration file can be changed, with a server certificate of its own. */
function configurable() {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const base = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as Config;
  const at = (name: string): string => join(daemon.folder, name);
  for (const name of ['server', 'renewedServer'] as const) {
    writeFileSync(at(`${name}.pem`), CERTIFICATES[name].cert);
    writeFileSync(at(`${name}.key`), CERTIFICATES[name].key);
  }
  writeFileSync(at('ca.pem'), CERTIFICATES.authority.cert);
  const takeServer = (name: 'server' | 'renewedServer'): void => {
    copyFileSync(at(`${name}.pem`), at('own.pem'));
    copyFileSync(at(`${name}.key`), at('own.key'));
  };
  takeServer('server');
  const tls = { certFile: at('own.pem'), keyFile: at('own.key'), caFile: at('ca.pem') };
  const configure = (form: 'tls' | 'client-cert', pins: readonly string[]): void => {
    const listen = { ...base['listen'], ...(form === 'tls' ? { tls } : {}) };
    const intake = { ...base['intake'], clientCertificate: { form, pins } };
    writeFileSync(daemon.configPath, JSON.stringify({ ...base, listen, intake }));
  };
  const reload = (): void => void process.kill(daemon.pid, 'SIGHUP');
  return { daemon, configure, takeServer, reload };
}

let lastId = 0;

function confirmation(): string {
  lastId += 1;
  const id = `reload-${lastId}`;
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

/** Delivers a notification; answers the status, or the error's message. */
function deliver(daemon: Daemon, options: RequestOptions & object): Promise<number | string> {
  const { hostname, port, protocol } = new URL(daemon.url);
  return new Promise((resolve) => {
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const path = `/hooks/${daemon.pathTokens[0]}`;
    const request = send({ host: hostname, port, path, method: 'POST', ...options }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', (error) => resolve(error.message));
    });
    request.once('error', (error) => resolve(error.message));
    request.end(confirmation());
  });
}

/** Sends all requests at the rate; answers what came back. */
async function deliverAll(
  send: (count: number) => Promise<number | string>,
): Promise<(number | string)[]> {
  const answers: Promise<number | string>[] = [];
  let unanswered = 0;
  const ticks = every(TICK_MS)[Symbol.asyncIterator]();
  const startedAt = performance.now();
  while (answers.length < REQUESTS) {
    await ticks.next();
    const due = ((performance.now() - startedAt) / 1_000) * REQUESTS_A_SECOND;
    while (answers.length < Math.min(due, REQUESTS) && unanswered < UNANSWERED_MAX) {
      unanswered += 1;
      const answer = send(answers.length).finally(() => {
        unanswered -= 1;
      });
      answers.push(answer);
    }
  }
  await ticks.return?.();
  return Promise.all(answers);
}

test('certificates and pins that change under 500 deliveries a second lose none', async () => {
  const { daemon, configure, takeServer, reload } = configurable();
  configure('tls', [PIN]);
  await daemon.start();
  const client = { ca: CERTIFICATES.authority.cert, ...valid };
  const agent = new HttpsAgent({ keepAlive: true, maxSockets: CONNECTIONS, ...client });
  onTestFinished(() => agent.destroy());
  let reloads = 0;
  const reloadsDone = (): number => daemon.stderr().split('"cause":"request","pins"').length - 1;
  const reloadOnce = (): void => {
    reloads += 1;
    const isEven = reloads % 2 === 0;
    takeServer(isEven ? 'server' : 'renewedServer');
    configure('tls', isEven ? [PIN] : [NEXT, PIN]);
    reload();
  };
  const answers = await deliverAll((count) => {
    // Signals that wait for each other become one.
    if (count % REQUESTS_BETWEEN === 0 && reloadsDone() === reloads) reloadOnce();
    const isAlone = count % BETWEEN_HANDSHAKES === 0;
    return deliver(daemon, isAlone ? { agent: false, ...client } : { agent });
  });
  expect(answers.filter((answer) => answer !== 200)).toEqual([]);
  expect(answers).toHaveLength(REQUESTS);
  await eventually('the last reload', async () => (reloadsDone() === reloads ? true : undefined));
  expect(reloads).toBeGreaterThan(2);
});

/** Delivers again and again until the answer is another; answers it, and how long it took. */
async function changed(
  send: () => Promise<number | string>,
  former: number,
): Promise<[number | string, number]> {
  const startedAt = performance.now();
  const answer = await eventually('another answer', async () => {
    const one = await send();
    return one === former ? undefined : one;
  });
  return [answer, performance.now() - startedAt];
}

test('a removed pin is refused within a second of SIGHUP, on the open connection of a proxy', async () => {
  const { daemon, configure, reload } = configurable();
  configure('client-cert', [PIN, NEXT]);
  await daemon.start();
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { 'client-cert': clientCert(renewed.cert) };
  const send = (): Promise<number | string> => deliver(daemon, { agent, headers });
  expect(await send()).toBe(200);
  const open = Object.values(agent.freeSockets).flatMap((all) => all ?? []);
  const tookMs: number[] = [];
  // Other programs may hold this machine up once, but not every time.
  for (let round = 0; round < 3; round += 1) {
    configure('client-cert', [PIN]);
    reload();
    const [answer, ms] = await changed(send, 200);
    expect(answer).toBe(403);
    tookMs.push(ms);
    configure('client-cert', [PIN, NEXT]);
    reload();
    expect((await changed(send, 403))[0]).toBe(200);
  }
  expect(Math.min(...tookMs)).toBeLessThan(1_000);
  expect(Object.values(agent.freeSockets).flatMap((all) => all ?? [])).toEqual(open);
  expect(await deliver(daemon, { headers: { 'client-cert': clientCert(valid.cert) } })).toBe(200);
});

test('a changed file is taken over without a signal, and ends TLS connections of a removed pin', async () => {
  const { daemon, configure } = configurable();
  configure('tls', [PIN, NEXT]);
  await daemon.start();
  const client = { ca: CERTIFICATES.authority.cert, ...renewed };
  const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1, ...client });
  onTestFinished(() => agent.destroy());
  expect(await deliver(daemon, { agent })).toBe(200);
  const [open] = Object.values(agent.freeSockets).flatMap((all) => all ?? []);
  const ended = new Promise((resolve) => open?.once('close', resolve));
  configure('tls', [PIN]);
  await ended;
  expect(await deliver(daemon, { agent })).toBe(403);
  expect(daemon.stderr()).toContain('"cause":"files"');
});
