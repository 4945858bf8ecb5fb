import { expect, test } from 'vitest';
import { Metrics } from '../../src/ops/metrics/metrics.ts';

/** The samples of a page as `name{labels} value` lines, without histogram buckets. */
async function samples(metrics: Metrics): Promise<string[]> {
  const { text } = await metrics.page();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));
}

test('what happened is on the page', async () => {
  const metrics = new Metrics({ now: () => 0 });
  metrics.intake.notification('accepted');
  metrics.intake.notification('accepted');
  metrics.intake.notification('malformed');
  metrics.intake.refusal(413);
  metrics.intake.commit({ facts: 3, durationMs: 20, failed: false });
  metrics.intake.commit({ facts: 9, durationMs: 20, failed: true });
  metrics.intake.queueDepth(7);
  metrics.reconciliation.comparisons({ kind: 'matched', count: 40 });
  metrics.reconciliation.comparisons({ kind: 'skipped', cause: 'api_unavailable' });
  metrics.reconciliation.repairs({ replayed: 3, pulledForward: 0, backfilled: 1 });
  metrics.custody.attempt({ operation: 'transactions', result: 'ok', durationMs: 250 });
  metrics.custody.circuit('open');
  metrics.intake.journalHead(1234);
  metrics.deposits.figures({
    deposits: { confirming: 5, verifying: 2, credited: 3, held: 4 },
    held: [{ reason: 'dust', oldestAt: -60_000 }],
    credits: { oldestUnacknowledgedAt: -90_000 },
  });
  expect(await samples(metrics)).toEqual(
    expect.arrayContaining([
      'counterfoil_notifications_total{outcome="accepted"} 2',
      'counterfoil_notifications_total{outcome="malformed"} 1',
      'counterfoil_http_refusals_total{status="413"} 1',
      'counterfoil_commits_total{result="ok"} 1',
      'counterfoil_commits_total{result="failed"} 1',
      'counterfoil_commit_batch_facts_sum 3',
      'counterfoil_commit_duration_seconds_sum 0.02',
      'counterfoil_queue_depth 7',
      'counterfoil_sweep_outcomes_total{kind="matched",cause=""} 40',
      'counterfoil_sweep_outcomes_total{kind="skipped",cause="api_unavailable"} 1',
      'counterfoil_sweep_repairs_total{kind="replayed"} 3',
      'counterfoil_sweep_repairs_total{kind="pulled_forward"} 0',
      'counterfoil_sweep_repairs_total{kind="backfilled"} 1',
      'counterfoil_custody_requests_total{operation="transactions",result="ok"} 1',
      'counterfoil_custody_request_duration_seconds_sum 0.25',
      'counterfoil_custody_circuit_state 2',
      'counterfoil_journal_head_seq 1234',
      'counterfoil_deposits{state="confirming"} 5',
      'counterfoil_deposits{state="reversed"} 0',
      'counterfoil_waiting_deposits 2',
      'counterfoil_oldest_held_deposit_age_seconds{reason="dust"} 60',
      'counterfoil_unacknowledged_credits 3',
      'counterfoil_oldest_unacknowledged_credit_age_seconds 90',
    ]),
  );
});

test('a break that is resolved leaves the page', async () => {
  const metrics = new Metrics({ now: () => 0 });
  metrics.reconciliation.breaksOpen([
    { type: 'conservation', severity: 'warning', open: 3, oldestAt: 0 },
    { type: 'conservation', severity: 'critical', open: 1, oldestAt: 0 },
  ]);
  metrics.reconciliation.breaksOpen([
    { type: 'conservation', severity: 'critical', open: 1, oldestAt: 0 },
  ]);
  const breaks = (await samples(metrics)).filter((line) => line.includes('breaks_open'));
  expect(breaks).toEqual(['counterfoil_breaks_open{type="conservation",severity="critical"} 1']);
});

test('the metrics have the age of the oldest break of each severity', async () => {
  const metrics = new Metrics({ now: () => 100_000 });
  metrics.reconciliation.breaksOpen([
    { type: 'conservation', severity: 'critical', open: 1, oldestAt: 40_000 },
    { type: 'status_mismatch', severity: 'critical', open: 2, oldestAt: 10_000 },
    { type: 'malformed', severity: 'info', open: 1, oldestAt: 99_500 },
  ]);
  const ages = (await samples(metrics)).filter((line) => line.includes('oldest_break'));
  expect(ages).toEqual([
    'counterfoil_oldest_break_age_seconds{severity="critical"} 90',
    'counterfoil_oldest_break_age_seconds{severity="info"} 0.5',
  ]);
  metrics.reconciliation.breaksOpen([]);
  expect((await samples(metrics)).filter((line) => line.includes('oldest_break'))).toEqual([]);
});

test('the age of the last sweep grows from the start, and again from each sweep', async () => {
  let now = 1_000_000;
  const metrics = new Metrics({ now: () => now });
  const age = async (): Promise<string | undefined> =>
    (await samples(metrics)).find((line) => line.includes('last_sweep_age'));
  metrics.reconciliation.began();
  now += 90_000;
  expect(await age()).toBe('counterfoil_last_sweep_age_seconds 90');
  metrics.reconciliation.sweepEnded({ isComplete: true });
  now += 1_500;
  expect(await age()).toBe('counterfoil_last_sweep_age_seconds 1.5');
});

test('the age of the last complete sweep grows while sweeps end incomplete', async () => {
  let now = 1_000_000;
  const metrics = new Metrics({ now: () => now });
  const ages = async (): Promise<string[]> =>
    (await samples(metrics)).filter((line) => line.includes('sweep_age'));
  metrics.reconciliation.began();
  now += 60_000;
  metrics.reconciliation.sweepEnded({ isComplete: true });
  now += 60_000;
  metrics.reconciliation.sweepEnded({ isComplete: false });
  now += 5_000;
  expect(await ages()).toEqual([
    'counterfoil_last_sweep_age_seconds 5',
    'counterfoil_last_complete_sweep_age_seconds 65',
  ]);
});

test('a receiver that no longer sweeps and closes shows neither age, even when its last run ends late', async () => {
  const metrics = new Metrics({ now: () => 60_000 });
  const duties = async (): Promise<string[]> =>
    (await samples(metrics)).filter((line) => /_sweep_age|closed_until/.test(line));
  expect(await duties()).toEqual([]);
  metrics.reconciliation.began();
  metrics.reconciliation.closedUntil(30_000);
  expect(await duties()).toEqual([
    'counterfoil_closed_until_timestamp_seconds 30',
    'counterfoil_last_sweep_age_seconds 0',
    'counterfoil_last_complete_sweep_age_seconds 0',
  ]);
  metrics.reconciliation.ended();
  metrics.reconciliation.sweepEnded({ isComplete: true });
  metrics.reconciliation.closedUntil(40_000);
  expect(await duties()).toEqual([]);
});

test('an operation that is refused leaves the page when it is allowed again', async () => {
  const metrics = new Metrics({ now: () => 0 });
  const refused = async (): Promise<string[]> =>
    (await samples(metrics)).filter((line) => line.includes('refused'));
  metrics.custody.accessRefused([{ operation: 'transactions', status: 401 }]);
  expect(await refused()).toEqual([
    'counterfoil_custody_access_refused{operation="transactions",status="401"} 1',
  ]);
  metrics.custody.accessRefused([]);
  expect(await refused()).toEqual([]);
});

test('every counter begins at 0 for every label that is known, so that a first burst is an increase', async () => {
  const known = {
    operations: ['transactions', 'vaults'],
    results: ['ok', 'unavailable'],
    skipCauses: ['in_grace'],
    exemptionRules: ['gifts'],
    certificateRefusals: ['missing'],
  };
  const metrics = new Metrics({ now: () => 0, known });
  const { text } = await metrics.page();
  const counters = [...text.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name ?? '');
  const lines = await samples(metrics);
  expect(lines.filter((line) => counters.some((name) => line.startsWith(name)))).toEqual([
    'counterfoil_notifications_total{outcome="accepted"} 0',
    'counterfoil_notifications_total{outcome="duplicate"} 0',
    'counterfoil_notifications_total{outcome="quarantined"} 0',
    'counterfoil_notifications_total{outcome="malformed"} 0',
    'counterfoil_http_refusals_total{status="403"} 0',
    'counterfoil_http_refusals_total{status="404"} 0',
    'counterfoil_http_refusals_total{status="405"} 0',
    'counterfoil_http_refusals_total{status="413"} 0',
    'counterfoil_http_refusals_total{status="500"} 0',
    'counterfoil_http_refusals_total{status="503"} 0',
    'counterfoil_certificate_refusals_total{reason="missing"} 0',
    'counterfoil_commits_total{result="ok"} 0',
    'counterfoil_commits_total{result="failed"} 0',
    'counterfoil_sweep_outcomes_total{kind="matched",cause=""} 0',
    'counterfoil_sweep_outcomes_total{kind="break",cause=""} 0',
    'counterfoil_sweep_outcomes_total{kind="exempt",cause="gifts"} 0',
    'counterfoil_sweep_outcomes_total{kind="skipped",cause="in_grace"} 0',
    'counterfoil_sweep_repairs_total{kind="replayed"} 0',
    'counterfoil_sweep_repairs_total{kind="pulled_forward"} 0',
    'counterfoil_sweep_repairs_total{kind="backfilled"} 0',
    'counterfoil_custody_requests_total{operation="transactions",result="ok"} 0',
    'counterfoil_custody_requests_total{operation="transactions",result="unavailable"} 0',
    'counterfoil_custody_requests_total{operation="vaults",result="ok"} 0',
    'counterfoil_custody_requests_total{operation="vaults",result="unavailable"} 0',
  ]);
});

test('two of them share nothing', async () => {
  const one = new Metrics({ now: () => 0 });
  const other = new Metrics({ now: () => 0 });
  one.intake.notification('accepted');
  expect(await samples(other)).toContain('counterfoil_notifications_total{outcome="accepted"} 0');
});

test('every name begins with the program, and names its unit last', async () => {
  const { text, contentType } = await new Metrics({ now: () => 0 }).page();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => ({
    name: name ?? '',
    kind,
  }));
  expect(contentType).toMatch(/^text\/plain/);
  expect(names.length).toBeGreaterThan(12);
  for (const { name, kind } of names) {
    expect(name).toMatch(/^counterfoil_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(name).not.toMatch(/_(?:seconds|bytes)_(?!total)/);
  }
});

test('process metrics can be added', async () => {
  const { text } = await new Metrics({ now: () => 0, process: true }).page();
  expect(text).toContain('counterfoil_process_resident_memory_bytes');
});
