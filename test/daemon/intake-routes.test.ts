import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { intakeRoutes } from '../../src/daemon/routes.ts';
import { RefusedSenders } from '../../src/daemon/senders/refused-senders.ts';
import { createLog } from '../../src/ops/log.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';

const TOKEN = 'a'.repeat(32);

/** The intake's routes over a queue, with the lines that they log. */
function intakeOver(queue: Parameters<typeof intakeRoutes>[0]['queue']) {
  const lines: string[] = [];
  const destination = new Writable({
    write: (line: Buffer, _, done) => {
      lines.push(line.toString());
      done();
    },
  });
  const log = createLog({ level: 'info', destination });
  const metrics = new Metrics({ now: () => 0 });
  const app = intakeRoutes(
    {
      intake: {
        pathTokens: [TOKEN],
        maxBodyBytes: 1_000,
        queueMax: 1,
        batchMax: 1,
        malformedPerHourMax: 1,
      },
      queue,
      log,
      metrics,
    },
    { gate: { accepts: () => true }, refused: new RefusedSenders({ log, now: () => 0 }) },
  );
  return { app, lines, metrics };
}

test('a delivery that meets a defect is answered 500, logged, and counted', async () => {
  const queue = { submit: () => Promise.reject(new Error('a defect')) };
  const { app, lines, metrics } = intakeOver(queue);
  const answer = await app.request(`/hooks/${TOKEN}`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(500);
  expect(lines.join('')).toContain('a defect');
  const { text } = await metrics.page();
  expect(text).toContain('counterfoil_http_refusals_total{status="500"} 1\n');
});

test('a delivery that finds the queue full is answered 503, and the log says so', async () => {
  const { app, lines } = intakeOver({ submit: () => Promise.resolve({ kind: 'busy' }) });
  const answer = await app.request(`/hooks/${TOKEN}`, { method: 'POST', body: '{}' });
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
  expect(lines.join('')).toContain('deliveries are answered 503');
});
