import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/store/port.ts';
import { openLedger, type OpenLedger } from '../store/open-ledger.ts';
import { Service, type WebhookBody } from '../store/webhook.ts';
import { listening, statusIn, streamOf, TOKEN } from './hooks-under-test.ts';

describe('many at once', () => {
  test('a hundred deliveries of one id: one is accepted', async () => {
    const open = await openLedger();
    const { post } = await listening(open);
    const body = new Service().confirmed(1);
    const responses = await Promise.all(Array.from({ length: 100 }, () => post(body)));
    const statuses = await Promise.all(responses.map(statusIn));
    expect(statuses.filter((status) => status === 'accepted')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(99);
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
  });

  /** A ledger whose first commit lasts until `release`: everybody else has to wait for it. */
  function slowFirst(open: OpenLedger): { ledger: Ledger; release: () => void } {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ledger: Ledger = {
      commit: async (facts) => {
        await gate;
        return open.ledger.commit(facts);
      },
    };
    return { ledger, release: () => release() };
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }

  function deposits(count: number): WebhookBody[] {
    const service = new Service();
    return Array.from({ length: count }, (_, at) =>
      service.confirmed(1, { blockchainHash: `0x${at}` }),
    );
  }

  test('what arrives during a commit shares the next one', async () => {
    const open = await openLedger();
    const { ledger, release } = slowFirst(open);
    const { post, queue } = await listening(open, { ledger });
    const posted = deposits(100).map((body) => post(body));
    await until(() => queue.queued >= 90);
    release();
    const statuses = await Promise.all((await Promise.all(posted)).map(statusIn));
    expect(new Set(statuses)).toEqual(new Set(['accepted']));
    expect(open.rows('SELECT commit_number FROM seals').length).toBeLessThan(20);
    expect(open.deposits()).toHaveLength(100);
  });

  test('beyond the queue’s bound: 503 with Retry-After, and a retry loses nothing', async () => {
    const open = await openLedger();
    const { ledger, release } = slowFirst(open);
    const { post, answers } = await listening(open, { ledger, queueMax: 10 });
    const bodies = deposits(40);
    const posted = bodies.map((body) => post(body));
    await until(() => answers.length >= 20);
    release();
    const responses = await Promise.all(posted);
    const busy = responses.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThanOrEqual(20);
    expect(busy.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    const again = bodies.filter((_, at) => responses[at]?.status === 503);
    for (const body of again) expect(await statusIn(await post(body))).toBe('accepted');
    expect(open.deposits()).toHaveLength(40);
  });

  /** A notification of nearly the largest size. */
  function longBodies(count: number): WebhookBody[] {
    return deposits(count).map((body) => ({ ...body, padding: ' '.repeat(9_000) }));
  }

  test('long bodies beyond the bytes for them are 503 with Retry-After; short ones pass', async () => {
    const open = await openLedger();
    const { ledger, release } = slowFirst(open);
    const { post, answers, queue } = await listening(open, { ledger, memoryBytes: 30_000 });
    const [short, ...rest] = deposits(11);
    if (short === undefined) throw new Error('no deposits');
    const long = rest.map((body) => ({ ...body, padding: ' '.repeat(9_000) }));
    const posted = long.map((body) => post(body));
    await until(() => answers.length >= 7);
    const passed = post(short);
    await until(() => queue.queued === 4);
    release();
    expect((await passed).status).toBe(200);
    const responses = await Promise.all(posted);
    const busy = responses.filter(({ status }) => status === 503);
    expect(busy).toHaveLength(7);
    expect(busy.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    const again = long.filter((_, at) => responses[at]?.status === 503);
    for (const body of again) expect(await statusIn(await post(body))).toBe('accepted');
    expect(open.deposits()).toHaveLength(11);
  });

  test('a long body without a length is 503 where there is no room for it', async () => {
    const open = await openLedger();
    const { post, answers } = await listening(open, { memoryBytes: 5_000 });
    const text = JSON.stringify(longBodies(1)[0]);
    const response = await post(streamOf(text, 1));
    expect([response.status, answers]).toEqual([503, ['busy']]);
    expect((await post(deposits(1)[0] ?? {})).status).toBe(200);
  });

  test('the bytes of a body that was cut off are given back', async () => {
    const { port, post, answers } = await listening(await openLedger(), { memoryBytes: 10_000 });
    const socket = connect(port, '127.0.0.1');
    const head = `POST /hooks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n`;
    socket.end(head + 'x'.repeat(8_000));
    await until(() => answers.includes('malformed'));
    expect((await post(longBodies(1)[0] ?? {})).status).toBe(200);
  });
});
