import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BREAK_TYPES } from '../../src/domain/break.ts';
import { Metrics } from '../../src/ops/metrics.ts';

const RULES = readFileSync(new URL('../../config/alerts/counterfoil.yml', import.meta.url), 'utf8');

test('alerts ask for metrics that exist, by labels that they have', async () => {
  const metrics = new Metrics({ now: () => 0 });
  metrics.breaksOpen([{ type: 'conservation', severity: 'critical', open: 1, oldestAt: 0 }]);
  const { text } = await metrics.page();
  const asked = [...RULES.matchAll(/(counterfoil_\w+)(?:\{(\w+)(?:=|=~)")?/g)];
  expect(asked.length).toBeGreaterThan(5);
  const unanswered = asked.filter(([, name = '', label]) => {
    const sample = text.split('\n').find((line) => line.startsWith(name));
    return sample === undefined || (label !== undefined && !sample.includes(`${label}="`));
  });
  expect(unanswered.map(([ask]) => ask)).toEqual([]);
});

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
