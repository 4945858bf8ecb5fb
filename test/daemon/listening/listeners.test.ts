import { once } from 'node:events';
import { existsSync, linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { tryAddresses } from '../../../src/daemon/listening/bind.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { clientCert } from '../../tls/header-values.ts';
import { ask, body, certificateFolder, HOOK, openDaemon, PIN, target } from './open-daemon.ts';

const RULE = { form: 'client-cert', pins: [PIN] };
const CERT = { 'client-cert': clientCert(CERTIFICATES.valid.cert) };
const OWN_TLS = { certFile: 'server.pem', keyFile: 'server.key' };

test('with admin, deliveries and everything else have listeners of their own', async () => {
  const { listeners } = await openDaemon({ admin: {} });
  const { url, adminUrl } = listeners;
  expect((await ask(url)).status).toBe(200);
  const elsewhere = await ask(url, { path: '/v1/balances', method: 'GET' });
  expect(elsewhere.status).toBe(404);
  expect((await ask(adminUrl, { path: '/v1/balances', method: 'GET' })).body).toBe('other');
});

test('without admin one listener serves everything', async () => {
  const { listeners } = await openDaemon({});
  expect(listeners.adminUrl).toBe(listeners.url);
  expect((await ask(listeners.url)).status).toBe(200);
  expect((await ask(listeners.url, { path: '/v1/x', method: 'GET' })).body).toBe('other');
});

test('both listeners take unix sockets, which owner and group may use', async () => {
  const folder = certificateFolder();
  const { listeners } = await openDaemon(
    { listen: { socket: 'in.sock' }, admin: { socket: 'admin.sock' }, clientCertificate: RULE },
    folder,
  );
  expect(listeners.url).toBe(`unix:${folder}/in.sock`);
  expect((await ask(listeners.url, { headers: CERT })).status).toBe(200);
  expect((await ask(listeners.adminUrl, { path: '/v1/x', method: 'GET' })).body).toBe('other');
  expect(statSync(join(folder, 'in.sock')).mode & 0o777).toBe(0o660);
});

test('the socket of a killed daemon is taken over, that of a running one is not', async () => {
  const folder = certificateFolder();
  const path = join(folder, 'in.sock');
  const holder = createServer().listen(path);
  await once(holder, 'listening');
  linkSync(path, join(folder, 'left.sock'));
  await expect(openDaemon({ listen: { socket: 'in.sock' } }, folder)).rejects.toThrow(
    `cannot listen on ${path} (listen EADDRINUSE: address already in use ${path}): stop the process that listens there, or change listen.socket`,
  );
  holder.close();
  await once(holder, 'close');
  const { listeners } = await openDaemon({ listen: { socket: 'left.sock' } }, folder);
  expect((await ask(listeners.url)).status).toBe(200);
});

test('a socket path that holds another file, or is in no folder, is refused', async () => {
  const folder = certificateFolder();
  const path = join(folder, 'in.sock');
  writeFileSync(path, 'a file');
  await expect(openDaemon({ listen: { socket: 'in.sock' } }, folder)).rejects.toThrow(
    /cannot listen on .*EADDRINUSE/,
  );
  expect(readFileSync(path, 'utf8')).toBe('a file');
  await expect(openDaemon({ listen: { socket: 'nowhere/in.sock' } }, folder)).rejects.toThrow(
    /listen\.socket must be a path in a folder that this user may write/,
  );
});

test('addresses that are tried before a start are free afterwards, and a taken one is named', async () => {
  const folder = certificateFolder();
  const { listeners } = await openDaemon({});
  const { port } = new URL(listeners.url);
  const socket = join(folder, 'in.sock');
  const free = { listen: { host: '127.0.0.1', port: 0, socket } };
  await tryAddresses(free);
  await tryAddresses(free);
  expect(existsSync(socket)).toBe(false);
  const admin = { host: '127.0.0.1', port: Number(port) };
  await expect(tryAddresses({ ...free, admin })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (listen EADDRINUSE: address already in use 127.0.0.1:${port}): stop what uses it, or change admin.port`,
  );
  expect(existsSync(socket)).toBe(false);
});

test('when the second port is taken, the first is given back', async () => {
  const { listeners } = await openDaemon({});
  const { port } = new URL(listeners.url);
  const admin = { host: '127.0.0.1', port: 0 };
  await expect(openDaemon({ listen: { port: Number(port) }, admin })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}`,
  );
});

test('a listener that retires ends each connection with its next answer, and takes new ones', async () => {
  const { listeners } = await openDaemon({});
  const connection = connect(Number(new URL(listeners.url).port), '127.0.0.1');
  let said = '';
  connection.on('data', (chunk: Buffer) => (said += chunk.toString()));
  connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => said).toContain('HTTP/1.1 200');
  expect(said.toLowerCase()).toContain('connection: keep-alive');
  listeners.retire();
  connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(connection, 'close');
  expect(said.toLowerCase()).toMatch(/connection: close/);
  expect((await fetch(`${listeners.url}/healthz`)).status).toBe(200);
});

test('a listener that retires ends the connection of a request that it is answering', async () => {
  const { listeners } = await openDaemon({});
  const connection = connect(Number(new URL(listeners.url).port), '127.0.0.1');
  let said = '';
  connection.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const sent = body();
  const headers = `Host: x\r\nExpect: 100-continue\r\nContent-Length: ${sent.length}`;
  connection.write(`POST ${HOOK} HTTP/1.1\r\n${headers}\r\n\r\n`);
  await expect.poll(() => said).toContain('100 Continue');
  listeners.retire();
  connection.write(sent);
  await expect.poll(() => said).toContain('HTTP/1.1 200');
  expect(said.toLowerCase()).toContain('connection: close');
});

test('closing leaves idle connections their time: a request on its way is answered', async () => {
  const { listeners } = await openDaemon({});
  const connection = connect(Number(new URL(listeners.url).port), '127.0.0.1');
  await once(connection, 'connect');
  listeners.retire();
  const closed = listeners.close(400);
  await expect(fetch(listeners.url)).rejects.toThrow('fetch failed');
  connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await text(connection)).toMatch(/^HTTP\/1\.1 200/);
  await closed;
});

test('closing answers what was received on both listeners, and takes nothing new', async () => {
  const { listeners } = await openDaemon({ admin: {} });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const answers = [listeners.url, listeners.adminUrl].map((url) => ask(url, { more: { agent } }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  await listeners.close();
  await expect(ask(listeners.url)).rejects.toThrow('ECONNREFUSED');
  await expect(ask(listeners.adminUrl)).rejects.toThrow('ECONNREFUSED');
});

/** Opens a connection, sends bytes, and answers everything that came back until its end. */
async function exchange(url: string, bytes: Buffer | string): Promise<string> {
  const { host, port } = target(url);
  const socket = connect(Number(port), String(host));
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket).catch(() => 'cut');
}

/** Version 2, from 192.0.2.1. */
const BINARY = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000201c6336402dc0401bb', 'hex');
const LINE = Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 56324 443\r\n');

function delivery(headers = ''): string {
  const sent = body();
  return `POST ${HOOK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: ${sent.length}\r\n\r\n${sent}`;
}

test.for([
  ['1', LINE, '2001:db8::1'],
  ['2', BINARY, '192.0.2.1'],
] as const)(
  'the PROXY protocol, version %s, names the client, in one piece and in two',
  async ([, header, source]) => {
    const daemon = await openDaemon({ listen: { proxyProtocol: true } });
    const { url } = daemon.listeners;
    const whole = Buffer.concat([header, Buffer.from(delivery())]);
    expect(await exchange(url, whole)).toMatch(/^HTTP\/1\.1 200 /);
    const { host, port } = target(url);
    const socket = connect({ port: Number(port), host: String(host), noDelay: true });
    socket.write(header.subarray(0, 7));
    await once(socket, 'connect');
    socket.write(Buffer.concat([header.subarray(7), Buffer.from(delivery())]));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(daemon.sources).toEqual([source, source]);
  },
);

test('with the PROXY protocol a connection without its header ends unanswered', async () => {
  const daemon = await openDaemon({ listen: { proxyProtocol: true } });
  expect(await exchange(daemon.listeners.url, delivery())).not.toContain('HTTP/1.1');
  expect(daemon.lines.join('')).toContain('PROXY protocol');
  expect(daemon.submitted).toEqual([]);
});

test('however many headers come before it, a second certificate is seen', async () => {
  const daemon = await openDaemon({ clientCertificate: RULE });
  const certificate = `Client-Cert: ${CERT['client-cert']}\r\n`;
  const many = 'a:\r\n'.repeat(2_500);
  const alone = await exchange(daemon.listeners.url, delivery(`${many}${certificate}`));
  expect(alone).toMatch(/^HTTP\/1\.1 200 /);
  const twice = `${certificate}${many}${certificate}`;
  expect(await exchange(daemon.listeners.url, delivery(twice))).toMatch(/^HTTP\/1\.1 403 /);
  expect(daemon.refusals).toMatchObject([{ reason: 'duplicate' }]);
});

test('without it, its header is no request', async () => {
  const { listeners } = await openDaemon({});
  const sent = Buffer.concat([LINE, Buffer.from(delivery())]);
  expect(await exchange(listeners.url, sent)).toMatch(/^HTTP\/1\.1 400 /);
});

test('an address in the PROXY header makes nobody a permitted peer', async () => {
  const daemon = await openDaemon({
    listen: { proxyProtocol: true },
    clientCertificate: { ...RULE, from: ['192.0.2.0/24'] },
  });
  const sent = Buffer.concat([
    BINARY,
    Buffer.from(delivery(`Client-Cert: ${CERT['client-cert']}\r\n`)),
  ]);
  expect(await exchange(daemon.listeners.url, sent)).toMatch(/^HTTP\/1\.1 403 /);
  expect(daemon.refusals).toMatchObject([{ reason: 'wrong_peer', peer: '127.0.0.1' }]);
});

test('TLS may come after the PROXY protocol, and keeps the client', async () => {
  const daemon = await openDaemon({ listen: { proxyProtocol: true, tls: OWN_TLS } });
  const { host, port } = target(daemon.listeners.url);
  const below = connect(Number(port), String(host));
  below.write(BINARY);
  const socket = connectTls({
    socket: below,
    ca: CERTIFICATES.authority.cert,
    servername: 'localhost',
  });
  socket.write(delivery());
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(daemon.sources).toEqual(['192.0.2.1']);
});

test('closing ends a connection that has sent half a PROXY header', async () => {
  const { listeners } = await openDaemon({ listen: { proxyProtocol: true } });
  const { host, port } = target(listeners.url);
  const socket = connect(Number(port), String(host));
  await once(socket, 'connect');
  socket.write(LINE.subarray(0, 10));
  const ended = text(socket);
  await listeners.close();
  expect(await ended).toBe('');
});
