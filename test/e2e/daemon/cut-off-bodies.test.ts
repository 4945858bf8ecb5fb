import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Daemon } from '../daemon.ts';

/** Sends the beginning of a request, and leaves when the daemon has had the time to read it. */
async function leaveWithin(daemon: Daemon, request: string): Promise<void> {
  const { hostname, port } = new URL(daemon.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(request);
  await daemon.get('/v1/balances');
  socket.destroy();
  await daemon.get('/v1/balances');
}

const BEGINNINGS = [
  'Content-Length: 1000\r\n\r\n{"reason":',
  'Transfer-Encoding: chunked\r\n\r\na\r\n{"reason":\r\n',
];

test('a caller that leaves within a body, of known length or in chunks, is no defect', async () => {
  const daemon = await Daemon.start();
  const json = `Authorization: Bearer ${daemon.adminToken}\r\nContent-Type: application/json`;
  const form = 'Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded';
  for (const [path, headers] of [
    ['/v1/reconciliations', json],
    ['/v1/deposits/dep_1/hold', json],
    ['/console/session', form],
    ['/console/runs', form],
    [`/hooks/${daemon.pathTokens[0]}`, json],
  ]) {
    const head = `POST ${path} HTTP/1.1\r\nHost: ${new URL(daemon.url).host}\r\n${headers}`;
    for (const rest of BEGINNINGS) await leaveWithin(daemon, `${head}\r\n${rest}`);
  }
  await daemon.end('SIGTERM');
  expect(daemon.stderr()).not.toContain('a request failed');
});
