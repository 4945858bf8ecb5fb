import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startCaller } from '../core-caller.ts';

/** A core, and what it reports as its own bugs. */
async function coreWithBugs(): Promise<{ port: number; url: string; bugs: unknown[] }> {
  const bugs: unknown[] = [];
  const caller = await startCaller({ onBug: (error) => bugs.push(error) });
  onTestFinished(() => caller.stop());
  const { controlPort, controlUrl } = caller.core;
  return { port: controlPort, url: controlUrl, bugs };
}

test.for([
  ['of known length', 'Content-Length: 1000\r\n\r\nseconds='],
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n8\r\nseconds=\r\n'],
])('a caller that leaves within a form %s is no bug', async ([, rest]) => {
  const { port, url, bugs } = await coreWithBugs();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = `POST /inspector/clock/advance HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/x-www-form-urlencoded`;
  socket.write(`${head}\r\n${rest}`);
  await fetch(url);
  socket.destroy();
  await fetch(url);
  expect(bugs).toEqual([]);
});

test.for([
  ['of known length', { 'content-length': '70000' }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
] as const)('a form %s beyond its bound is answered 413, and is no bug', async ([, sent]) => {
  const { port, bugs } = await coreWithBugs();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...sent };
  const options = {
    host: '127.0.0.1',
    port,
    path: '/inspector/clock/advance',
    method: 'POST',
    headers,
  };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const form = request(options, (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    form.once('error', reject).end('x'.repeat(70_000));
  });
  expect([status, bugs]).toEqual([413, []]);
});
