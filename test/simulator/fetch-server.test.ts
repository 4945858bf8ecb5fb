import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { VIRTUAL_START_MS } from '../../src/simulator/clock.ts';
import { errorBody } from '../../src/wire/error.ts';
import { startCaller } from './core-caller.ts';
import type { Caller } from './core-caller.ts';

let caller: Caller;

beforeEach(async () => {
  caller = await startCaller();
});
afterEach(() => caller.stop());

interface Raw {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: z.infer<typeof errorBody>;
}

/**
 * Sends bytes that an HTTP client would not send, and reads the answer until the connection ends.
 */
async function send(port: number, bytes: string): Promise<Raw> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.write(bytes);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).once('close', () => resolve());
  });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    date: /^date: (.*)$/im.exec(head)?.[1]?.trim(),
    body: errorBody.parse(JSON.parse(body)),
  };
}

const CLOSE = 'Host: localhost\r\nConnection: close\r\n\r\n';
const LOGIN = 'POST /api/v1/auth/login-code/request HTTP/1.1';

/** Requests that are invalid HTTP, and the expected error body. */
const BROKEN = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'BR-1', 'UNKNOWN /'],
  [
    'no host',
    'GET /api/v1/vaults?a=1 HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'BR-1',
    'GET /api/v1/vaults',
  ],
  [
    'an odd host',
    'GET /api/v1/vaults HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    400,
    'BR-1',
    'GET /api/v1/vaults',
  ],
  ['a target that is no path', `OPTIONS * HTTP/1.1\r\n${CLOSE}`, 400, 'BR-1', 'OPTIONS *'],
  [
    'headers without end',
    `GET /api/v1/vaults?a=1 HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${CLOSE}`,
    400,
    'BR-1',
    'GET /api/v1/vaults',
  ],
  [
    'two lengths',
    `${LOGIN}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n${CLOSE}`,
    400,
    'BR-1',
    'POST /api/v1/auth/login-code/request',
  ],
  [
    'a chunk that is none',
    `${LOGIN}\r\nTransfer-Encoding: chunked\r\n${CLOSE}zz\r\n`,
    400,
    'BR-1',
    'POST /api/v1/auth/login-code/request',
  ],
  ['a tunnel', `CONNECT elsewhere:443 HTTP/1.1\r\n${CLOSE}`, 404, 'NE-1', 'CONNECT elsewhere:443'],
  [
    'a method that nothing knows',
    `PURGE /api/v1/vaults HTTP/1.1\r\n${CLOSE}`,
    404,
    'NE-1',
    'PURGE /api/v1/vaults',
  ],
  [
    'an expectation that nothing knows',
    `POST /nowhere HTTP/1.1\r\nExpect: x\r\nContent-Length: 0\r\n${CLOSE}`,
    404,
    'NE-1',
    'POST /nowhere',
  ],
] as const;

for (const [what, bytes, status, errorCode, endpoint] of BROKEN) {
  test(`${what} is ${status} ${errorCode} with the error body, on either port`, async () => {
    for (const port of [caller.core.port, caller.core.controlPort]) {
      const answer = await send(port, bytes);
      expect(answer).toMatchObject({
        status,
        date: 'Thu, 01 Jan 2026 00:00:00 GMT',
        body: { statusCode: status, errorCode, endpoint, timestamp: '2026-01-01T00:00:00.000Z' },
      });
    }
  });
}

test('every answer carries the core’s own time as its date', async () => {
  const dates = async (): Promise<(string | null)[]> => {
    const { url, controlUrl } = caller.core;
    const pages = [url, `${url}/docs`, `${url}/openapi.json`, `${url}/api/v1/networks`, `${url}/x`];
    const answers = await Promise.all([...pages, `${controlUrl}/sim/clock`].map((at) => fetch(at)));
    await Promise.all(answers.map((answer) => answer.text()));
    return answers.map(({ headers }) => headers.get('date'));
  };
  expect(new Set(await dates())).toEqual(new Set(['Thu, 01 Jan 2026 00:00:00 GMT']));
  const moved = await caller.control('POST', '/sim/clock', { advanceMs: 86_400_999 });
  expect(moved.headers.get('date')).toBe('Fri, 02 Jan 2026 00:00:00 GMT');
  expect(moved.body).toEqual({ now: VIRTUAL_START_MS + 86_400_999 });
  expect(new Set(await dates())).toEqual(new Set(['Fri, 02 Jan 2026 00:00:00 GMT']));
});

test('an answer cut off by a fault is dated too', async () => {
  await caller.advance(3_600_000);
  await caller.sim('PUT', '/sim/faults', { api: [{ fault: 'truncate' }] });
  const headers = { authorization: `Bearer ${caller.token}` };
  const answer = await fetch(`${caller.core.url}/api/v1/networks`, { headers });
  expect(answer.headers.get('date')).toBe('Thu, 01 Jan 2026 01:00:00 GMT');
  await expect(answer.text()).rejects.toThrow('terminated');
});
