import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BREAK_TYPES } from '../../src/domain/break/break.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';

const RULES = readFileSync(new URL('../../config/alerts/counterfoil.yml', import.meta.url), 'utf8');

test('alerts name existing metrics and labels', async () => {
  const metrics = new Metrics({ now: () => 0 });
  metrics.reconciliation.began();
  metrics.reconciliation.breaksOpen([
    { type: 'conservation', severity: 'critical', open: 1, oldestAt: 0 },
  ]);
  metrics.intake.refusal(503);
  metrics.receiver.begin();
  metrics.deposits.figures({
    deposits: {},
    held: [{ reason: 'dust', oldestAt: 0 }],
    credits: { oldestUnacknowledgedAt: null },
  });
  metrics.deposits.creditLatency('total', 300);
  metrics.deposits.creditLatency('asked', 200);
  metrics.deposits.oldestDue({ sinceMs: 0, reason: 'reading_failed' });
  metrics.custody.accessRefused([{ operation: 'transactions', status: 401 }]);
  const { text } = await metrics.page();
  const asked = [...RULES.matchAll(/(counterfoil_\w+)(?:\{(\w+)(?:=|=~)")?/g)];
  expect(asked.length).toBeGreaterThan(5);
  const unanswered = asked.filter(([, name = '', label]) => {
    const sample = text.split('\n').find((line) => line.startsWith(name));
    return sample === undefined || (label !== undefined && !sample.includes(`${label}="`));
  });
  expect(unanswered.map(([ask]) => ask)).toEqual([]);
});

test('a stopped daemon and a store that refuses deliveries each page', () => {
  const pages = RULES.split(/^ {6}- alert: /m).filter((alert) => alert.includes('severity: page'));
  const expressions = pages.map((alert) => /\n {8}expr: (.+)\n/.exec(alert)?.[1]);
  expect(expressions).toContain('up{job="counterfoil"} == 0');
  expect(expressions).toContain('increase(counterfoil_http_refusals_total{status="503"}[5m]) > 0');
  expect(expressions).toContain('increase(counterfoil_http_refusals_total{status="500"}[10m]) > 0');
  expect(expressions).toContain('counterfoil_last_complete_sweep_age_seconds > 1800');
});

test('every counter of an increase exists before its first event', async () => {
  const metrics = new Metrics({ now: () => 0 });
  metrics.receiver.begin();
  const { text } = await metrics.page();
  const counters = [...RULES.matchAll(/increase\((counterfoil_[^[]+)\[/g)];
  expect(counters.length).toBeGreaterThan(0);
  for (const [, counter] of counters) expect(text).toContain(`\n${counter} 0\n`);
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;

test.skipIf(!HAS_PROMTOOL)(
  'Prometheus fires each alert when it should (skipped where promtool is not installed)',
  () => {
    const checked = spawnSync('promtool', ['test', 'rules', 'alerts.yml'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout + checked.stderr]).toEqual([
      0,
      expect.stringContaining('SUCCESS'),
    ]);
  },
);

test('alerts name break types that exist', () => {
  const named = [...RULES.matchAll(/type=~?"([^"]+)"/g)].flatMap(([, list]) => list?.split('|'));
  expect(named.length).toBeGreaterThan(0);
  for (const type of named) expect(BREAK_TYPES).toContain(type);
});

test('every alert says what it is, how loud it is and what to do', () => {
  const alerts = RULES.split(/^ {6}- alert: /m).slice(1);
  expect(alerts.length).toBeGreaterThan(0);
  for (const alert of alerts) {
    expect(alert).toMatch(/^Counterfoil\w+\n/);
    expect(alert).toMatch(/\n {8}expr: .+\n/);
    expect(alert).toMatch(/labels: \{ severity: (page|ticket) \}/);
    expect(alert).toMatch(/summary: .+\n\s+description: .+/);
  }
});
