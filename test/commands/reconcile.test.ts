import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { daemonOnLoopback } from './daemon-on-loopback.ts';
import { linkTo } from '../../src/commands/link/daemon-link.ts';
import { asText, reconcileAt } from '../../src/commands/reconcile.ts';
import type { Clock } from '../../src/custody/clock.ts';

const RUN = {
  matched: 1,
  break: 0,
  exempt: {},
  skipped: {},
  requests: 1,
  repairs: { replayed: 3, pulledForward: 0, backfilled: 1 },
  incomplete: null,
};

/** Seconds pass at once. */
const IMPATIENT: Clock = { now: () => 0, sleep: () => new Promise((end) => setImmediate(end)) };

/** A daemon whose run ends after three requests for `/readyz`. */
function slowDaemon(readyz: string): Promise<string> {
  let run: ServerResponse | undefined;
  let asked = 0;
  return daemonOnLoopback((request, response) => {
    if (request.url === '/v1/reconciliations') {
      run = response;
      return;
    }
    asked += 1;
    response.end(readyz);
    if (asked === 3) run?.end(JSON.stringify(RUN));
  });
}

test.each([
  [
    'the requests that are used',
    { custody: { circuit: 'closed', failures: 0, requests: { minute: 97, hour: 412 } } },
    'waiting 0 s; requests used: 97 of 100 this minute, 412 of 1000 this hour',
  ],
  [
    'that the custody API fails',
    { custody: { circuit: 'open', requests: { minute: 3, hour: 3 } } },
    'waiting 0 s; the custody API does not answer as it should',
  ],
  ['the time, without a custody API', { custody: null }, 'waiting 0 s\u001B'],
])('the command shows, while a run takes long, %s', async (_what, readyz, says) => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const url = await slowDaemon(JSON.stringify(readyz));
  const run = await reconcileAt({
    link: linkTo({ url }),
    token: 'a-token',
    stream,
    clock: IMPATIENT,
  });
  expect(run).toEqual(RUN);
  const said = String(stream.read());
  expect(said).toMatch(/^The daemon ends the run that is under way, then does yours/);
  expect(said).toContain(says);
});

test('the command says what the run repaired', () => {
  expect(asText(RUN)).toBe(
    [
      'matched   1',
      'break     0',
      'exempt    none',
      'skipped   none',
      'repaired  3 replayed, 1 backfilled',
      'requests  1',
    ].join('\n'),
  );
});

test('an https address of a port without TLS leads to http, without the words of OpenSSL', async () => {
  const plain = await slowDaemon('{}');
  const run = reconcileAt({
    link: linkTo({ url: plain.replace('http:', 'https:') }),
    token: 'a-token',
    stream: Object.assign(new PassThrough(), { isTTY: false }),
    clock: IMPATIENT,
  });
  await expect(run).rejects.toThrow(/^https:\S+ does not answer: it speaks no TLS: use http:\/\/$/);
});
