import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { pinOf } from '../../tls/header-values.ts';
import {
  ask,
  certificateFolder,
  openDaemon,
  PIN,
  shown,
  target,
  type Answer,
  type Name,
} from './open-daemon.ts';

const LISTEN = { tls: { certFile: 'own.pem', keyFile: 'own.key', caFile: 'ca.pem' } };
const RULE = { form: 'tls', pins: [PIN] };

/** The files of the listener, as they are at the start. */
function ownFiles(): string {
  const folder = certificateFolder();
  takeFiles(folder, 'server');
  writeFileSync(join(folder, 'ca.pem'), CERTIFICATES.authority.cert);
  return folder;
}

function takeFiles(folder: string, name: Name): void {
  copyFileSync(join(folder, `${name}.pem`), join(folder, 'own.pem'));
  copyFileSync(join(folder, `${name}.key`), join(folder, 'own.key'));
}

function keptAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

const MATRIX: readonly (readonly [Name | 'none', string | null])[] = [
  ['valid', null],
  ['none', 'missing'],
  ['expired', 'expired'],
  ['notYetValid', 'not_yet_valid'],
  ['stranger', 'wrong_issuer'],
  ['notPinned', 'not_pinned'],
  ['renewed', 'not_pinned'],
  ['wrongUsage', 'wrong_usage'],
];

test.for(['TLSv1.2', 'TLSv1.3'])(
  'over %s a delivery needs the pinned certificate',
  async (version) => {
    const { listeners, refusals } = await openDaemon(
      { listen: LISTEN, clientCertificate: RULE },
      ownFiles(),
    );
    const versions = { minVersion: version, maxVersion: version };
    for (const [name, reason] of MATRIX) {
      const more = { ...versions, ...(name === 'none' ? {} : shown(name)) };
      const { status } = await ask(listeners.url, { more });
      expect([name, status]).toEqual([name, reason === null ? 200 : 403]);
    }
    expect(refusals.map(({ reason }) => reason)).toEqual(
      MATRIX.flatMap(([, reason]) => reason ?? []),
    );
  },
);

test('with the form tls only deliveries need a certificate', async () => {
  const { listeners } = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, ownFiles());
  expect((await ask(listeners.url, { path: '/v1/x', method: 'GET' })).body).toBe('other');
});

test('beside our own TLS no header hands a certificate on', async () => {
  const daemon = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, ownFiles());
  const headers = { 'x-client-certificate': 'x' };
  const { status } = await ask(daemon.listeners.url, { headers, more: shown('valid') });
  expect(status).toBe(403);
  expect(daemon.refusals).toMatchObject([{ reason: 'other_form' }]);
});

test('TLS 1.1 is refused', async () => {
  const { listeners } = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, ownFiles());
  const more = {
    ...shown('valid'),
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
  await expect(ask(listeners.url, { more })).rejects.toThrow(
    /protocol version|unsupported protocol/,
  );
});

/** Delivers over a connection of its own, and answers its status and TLS. */
async function deliverOnce(
  url: string,
  more: object,
): Promise<{ answer: Answer; session: Buffer; isReused: boolean; serverName: unknown }> {
  const agent = keptAgent();
  const opened = new Promise<TLSSocket>((resolve) => {
    const create = agent.createConnection.bind(agent);
    Object.assign(agent, {
      createConnection: (...given: Parameters<typeof create>) => {
        const socket = create(...given) as TLSSocket;
        resolve(socket);
        return socket;
      },
    });
  });
  const session = opened.then(async (socket) => {
    const [ticket] = (await once(socket, 'session')) as [Buffer];
    return ticket;
  });
  const answer = await ask(url, { more: { ...more, agent } });
  const socket = await opened;
  // A resumed session has no certificate of the server.
  const { subject } = socket.getPeerCertificate() as { subject?: { CN: string | string[] } };
  const isReused = socket.isSessionReused();
  return {
    answer,
    session: isReused ? Buffer.alloc(0) : await session,
    isReused,
    serverName: subject?.CN,
  };
}

test.for(['TLSv1.2', 'TLSv1.3'])(
  'a session of %s keeps its certificate, and ends with a reload',
  async (version) => {
    const folder = ownFiles();
    const daemon = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, folder);
    const { url } = daemon.listeners;
    const versions = { minVersion: version, maxVersion: version };
    const first = await deliverOnce(url, { ...versions, ...shown('valid') });
    expect(first).toMatchObject({ answer: { status: 200 }, isReused: false, serverName: 'server' });
    const { session } = first;
    // The client sends no certificate again: the resumed session holds it.
    const resumed = await deliverOnce(url, { ...versions, session });
    expect(resumed).toMatchObject({ answer: { status: 200 }, isReused: true });
    takeFiles(folder, 'renewedServer');
    daemon.reload({ listen: LISTEN, clientCertificate: RULE });
    const after = await deliverOnce(url, { ...versions, ...shown('valid'), session });
    expect(after).toMatchObject({
      answer: { status: 200 },
      isReused: false,
      serverName: 'renewedServer',
    });
    daemon.reload({
      listen: LISTEN,
      clientCertificate: { ...RULE, pins: [pinOf(CERTIFICATES.renewed.cert)] },
    });
    const removed = await deliverOnce(url, { ...versions, session: after.session });
    expect(removed).toMatchObject({ answer: { status: 403 }, isReused: false });
  },
);

test('a reload ends the open connections of a removed pin at once, and no others', async () => {
  const { valid, renewed } = CERTIFICATES;
  const both = { ...RULE, pins: [pinOf(valid.cert), pinOf(renewed.cert)] };
  const daemon = await openDaemon({ listen: LISTEN, clientCertificate: both }, ownFiles());
  const { url } = daemon.listeners;
  const [leaving, staying, reading] = [keptAgent(), keptAgent(), keptAgent()];
  const deliverAs = (name: Name, agent: Agent): Promise<Answer> =>
    ask(url, { more: { ...shown(name), agent } });
  const read = (): Promise<Answer> =>
    ask(url, { path: '/v1/x', method: 'GET', more: { agent: reading } });
  expect((await deliverAs('valid', leaving)).status).toBe(200);
  expect((await deliverAs('renewed', staying)).status).toBe(200);
  expect((await read()).status).toBe(200);
  const socketOf = (agent: Agent): TLSSocket =>
    Object.values(agent.freeSockets).flatMap((all) => all ?? [])[0] as TLSSocket;
  const [left, kept, readers] = [socketOf(leaving), socketOf(staying), socketOf(reading)];
  const ended = once(left, 'close');
  daemon.reload({ listen: LISTEN, clientCertificate: { ...RULE, pins: [pinOf(renewed.cert)] } });
  await ended;
  expect((await deliverAs('valid', leaving)).status).toBe(403);
  expect((await deliverAs('renewed', staying)).status).toBe(200);
  expect((await read()).status).toBe(200);
  expect([socketOf(staying) === kept, socketOf(reading) === readers]).toEqual([true, true]);
});

const EVERYBODY = { listen: LISTEN };
const CHAIN = {
  cert: CERTIFICATES.indirect.cert + CERTIFICATES.intermediate.cert,
  key: CERTIFICATES.indirect.key,
};

test('without the form tls an authority makes every client show a certificate, on open connections too', async () => {
  const folder = ownFiles();
  const daemon = await openDaemon(EVERYBODY, folder);
  const { url } = daemon.listeners;
  const get = (more: object): Promise<Answer> => ask(url, { path: '/v1/x', method: 'GET', more });
  await expect(get({})).rejects.toThrow(/certificate required|ECONNRESET|socket hang up/);
  await expect(get(shown('stranger'))).rejects.toThrow(/unknown ca|ECONNRESET|socket hang up/i);
  const agent = keptAgent();
  expect((await get({ ...CHAIN, agent })).body).toBe('other');
  writeFileSync(
    join(folder, 'ca.pem'),
    CERTIFICATES.otherAuthority.cert + CERTIFICATES.authority.cert,
  );
  daemon.reload(EVERYBODY);
  expect((await get({ ...CHAIN, agent })).body).toBe('other');
  expect((await get(shown('stranger'))).body).toBe('other');
  writeFileSync(join(folder, 'ca.pem'), CERTIFICATES.otherAuthority.cert);
  daemon.reload(EVERYBODY);
  await expect(get({ ...CHAIN, agent })).rejects.toThrow(/hang up|ECONNRESET|unknown ca/i);
  expect(daemon.lines.join('')).toContain('its authority was removed');
});

test('files that do not fit are not taken, and the former go on', async () => {
  const folder = ownFiles();
  const daemon = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, folder);
  copyFileSync(join(folder, 'renewedServer.pem'), join(folder, 'own.pem'));
  expect(() => daemon.listeners.prepare(daemon.config)).toThrow(/key values mismatch/);
  const { host, port } = target(daemon.listeners.url);
  const ca = CERTIFICATES.authority.cert;
  const socket = connect({ host: String(host), port: Number(port), ca, servername: 'localhost' });
  await once(socket, 'secureConnect');
  expect(socket.getPeerCertificate().subject.CN).toBe('server');
  socket.destroy();
});

test.for(['own.pem', 'own.key', 'ca.pem'])(
  'while %s is being written and still empty, the former files go on',
  async (name) => {
    const folder = ownFiles();
    const daemon = await openDaemon({ listen: LISTEN, clientCertificate: RULE }, folder);
    writeFileSync(join(folder, name), '');
    expect(() => daemon.listeners.prepare(daemon.config)).toThrow(/holds no/);
    const { status } = await ask(daemon.listeners.url, { more: shown('valid') });
    expect(status).toBe(200);
  },
);
