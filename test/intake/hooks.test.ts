import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REFUSED_BYTES_KEPT } from '../../src/intake/refused-bodies.ts';
import type { Ledger } from '../../src/store/port.ts';
import { openLedger } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';
import { BODY_BYTES_MAX, listening, statusIn, streamOf, TOKEN } from './hooks-under-test.ts';

describe('a delivery that is taken', () => {
  test('is answered 200 with its status: accepted, duplicate, quarantined', async () => {
    const open = await openLedger();
    const { post, answers } = await listening(open);
    const body = new Service().confirmed(1);
    const responses = [await post(body), await post(body), await post({ id: 'x', stream: 'new' })];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const statuses = ['accepted', 'duplicate', 'quarantined'];
    expect(await Promise.all(responses.map(statusIn))).toEqual(statuses);
    expect(answers).toEqual(statuses);
  });

  test('is archived exactly as received, whatever its content type', async () => {
    const open = await openLedger();
    const { post } = await listening(open);
    const text = `\n ${JSON.stringify(new Service().confirmed(1), null, 3)}\n`;
    await post(text, { 'content-type': 'image/png' });
    expect(open.bodies('notification')).toEqual([text]);
  });

  test('may come in chunks without a length', async () => {
    const { post } = await listening(await openLedger());
    const text = JSON.stringify(new Service().confirmed(1));
    const response = await post(streamOf(text, 1));
    expect(await statusIn(response)).toBe('accepted');
  });

  test('of exactly the largest size is taken', async () => {
    const { post } = await listening(await openLedger());
    const text = JSON.stringify(new Service().confirmed(1));
    const response = await post(text + ' '.repeat(BODY_BYTES_MAX - text.length));
    expect(await statusIn(response)).toBe('accepted');
  });
});

describe('a delivery that is refused', () => {
  /** The types of `src/api/problem.ts`, and one that only a sender of webhooks can meet. */
  const KINDS: Record<number, string> = {
    400: 'invalid-request',
    403: 'certificate-refused',
    404: 'not-found',
    405: 'method-not-allowed',
    413: 'too-large',
    503: 'unavailable',
  };

  async function expectProblem(response: Response, status: number): Promise<string> {
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      type: `urn:counterfoil:problem:${KINDS[status]}`,
      status,
    });
    expect(text).not.toContain(TOKEN);
    return text;
  }

  test('unknown token: 404, and nothing is read or kept', async () => {
    const open = await openLedger();
    const { url, answers } = await listening(open);
    const length = open.journalLength();
    const wrong = `${url.slice(0, -1)}x`;
    const response = await fetch(wrong, { method: 'POST', body: 'secret' });
    const text = await expectProblem(response, 404);
    expect(text).not.toContain(wrong.slice(-40));
    expect(open.journalLength()).toBe(length);
    expect(answers).toEqual(['unknown_token']);
  });

  test.for(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s: 405, and POST is what is allowed',
    async (method) => {
      const { url } = await listening(await openLedger());
      const response = await fetch(url, { method });
      expect(response.headers.get('allow')).toBe('POST');
      await expectProblem(response, 405);
    },
  );

  test('the answer to an unknown token says nothing about methods', async () => {
    const { url } = await listening(await openLedger());
    const response = await fetch(`${url}x`);
    expect(response.headers.get('allow')).toBeNull();
    await expectProblem(response, 404);
  });

  test('over the bound by its announced length: 413 before any body is read', async () => {
    const { port, answers } = await listening(await openLedger());
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`POST /hooks/${TOKEN} HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(answers).toEqual(['too_large']);
  });

  test('over the bound in chunks: 413, and nothing is kept', async () => {
    const open = await openLedger();
    const { post } = await listening(open);
    const length = open.journalLength();
    const response = await post(streamOf('x'.repeat(1_000), 11)).catch(() => null);
    // A client that is still writing may see the connection end before it reads the answer.
    if (response !== null) await expectProblem(response, 413);
    expect(open.journalLength()).toBe(length);
  });

  test('no JSON, no id, an empty body: 400, kept, and a break', async () => {
    const open = await openLedger();
    const { post } = await listening(open);
    for (const body of ['nonsense', '{"stream":"incoming"}', '']) {
      await expectProblem(await post(body), 400);
    }
    expect(open.openBreaks()).toEqual(['malformed', 'malformed', 'malformed']);
    expect(open.bodies('refused')).toEqual(['nonsense', '{"stream":"incoming"}', '']);
  });

  test.for(['gzip', 'identity', 'br'])(
    'Content-Encoding %s: 400, never decompressed',
    async (encoding) => {
      const { post } = await listening(await openLedger());
      const body = JSON.stringify(new Service().confirmed(1));
      const text = await expectProblem(await post(body, { 'content-encoding': encoding }), 400);
      expect(text).toContain('Content-Encoding');
    },
  );

  test('of garbage no more than 64 KiB are kept, and no more bodies than the hour’s bound', async () => {
    const open = await openLedger();
    const bounds = { refusedPerHour: 2, more: { bodyBytesMax: 1_000_000 } };
    const { post } = await listening(open, bounds);
    for (let count = 0; count < 4; count += 1) {
      await expectProblem(await post('x'.repeat(100_000 + count)), 400);
    }
    const kept = open.bodies('refused').map((body) => body.length);
    expect(kept).toEqual([REFUSED_BYTES_KEPT, REFUSED_BYTES_KEPT]);
  });

  test('a sender whose certificate is refused: 403, and nothing is kept', async () => {
    const open = await openLedger();
    const certificateAccepted = (request?: IncomingMessage): boolean =>
      request?.headers['x-cert'] === 'good';
    const { post } = await listening(open, { more: { certificateAccepted } });
    const body = new Service().confirmed(1);
    await expectProblem(await post(body), 403);
    expect(open.deposits()).toEqual([]);
    expect(await statusIn(await post(body, { 'x-cert': 'good' }))).toBe('accepted');
  });
});

test('a connection that ends in the middle of its body keeps nothing and stops nothing', async () => {
  const open = await openLedger();
  const { port, post } = await listening(open);
  const length = open.journalLength();
  const socket = connect(port, '127.0.0.1');
  const half = JSON.stringify(new Service().confirmed(1)).slice(0, 40);
  socket.write(`POST /hooks/${TOKEN} HTTP/1.1\r\nhost: x\r\ncontent-length: 400\r\n\r\n${half}`);
  socket.resume().end();
  await once(socket, 'close');
  expect(await statusIn(await post(new Service().confirmed(1)))).toBe('accepted');
  expect(open.journalLength()).toBe(length + 1);
});

describe('while the store cannot write', () => {
  const DOWN: Ledger = {
    commit: () =>
      Promise.resolve({ kind: 'unavailable', effect: 'none', cause: 'SQLITE_FULL: /secret/path' }),
  };

  test('deliveries, and refusals that would be kept, are 503 with Retry-After', async () => {
    const { post, answers } = await listening(await openLedger(), { ledger: DOWN });
    for (const body of [JSON.stringify(new Service().confirmed(1)), 'nonsense']) {
      const response = await post(body);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      expect(await response.text()).not.toContain('secret');
    }
    expect(answers).toEqual(['busy', 'busy']);
  });

  test('garbage that was answered "busy" does not count for the hour’s bound', async () => {
    const open = await openLedger();
    let down = true;
    const ledger: Ledger = { commit: (facts) => (down ? DOWN : open.ledger).commit(facts) };
    const { post } = await listening(open, { ledger, refusedPerHour: 1 });
    expect((await post('nonsense')).status).toBe(503);
    down = false;
    expect((await post('nonsense')).status).toBe(400);
    expect(open.openBreaks()).toEqual(['malformed']);
  });

  test('a shutdown commits waiting facts, and answers new deliveries with a retry', async () => {
    const open = await openLedger();
    const { post, queue } = await listening(open);
    await queue.close();
    const response = await post(new Service().confirmed(1));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
  });
});
