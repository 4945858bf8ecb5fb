import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { intakeRoutes } from '../../src/daemon/routes.ts';
import { RefusedSenders } from '../../src/daemon/senders/refused-senders.ts';
import { createLog } from '../../src/ops/log.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';

const TOKEN = 'a'.repeat(32);

test('a delivery that meets a defect is answered 500, logged, and counted', async () => {
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
      queue: { submit: () => Promise.reject(new Error('a defect')) },
      log,
      metrics,
    },
    { gate: { accepts: () => true }, refused: new RefusedSenders({ log, now: () => 0 }) },
  );
  const answer = await app.request(`/hooks/${TOKEN}`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(500);
  expect(lines.join('')).toContain('a defect');
  const { text } = await metrics.page();
  expect(text).toContain('counterfoil_http_refusals_total{status="500"} 1\n');
});
