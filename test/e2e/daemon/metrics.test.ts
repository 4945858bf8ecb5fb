import { expect, test } from 'vitest';
import { Service } from '../../store/webhook.ts';
import { Daemon } from '../daemon.ts';

/** The samples of `/metrics` by name and labels. */
async function samplesOf(daemon: Daemon): Promise<Map<string, string>> {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(samples.map((line) => line.split(' ') as [string, string]));
}

test('deposits are counted by state, and only those that are deep enough as waiting', async () => {
  const daemon = await Daemon.start();
  const service = new Service();
  const bodies = [
    service.confirmed(1),
    service.confirmed(3, { blockchainHash: '0xb2' }),
    service.confirmed(3, { blockchainHash: '0xc3', memo: 'unregistered' }),
  ];
  for (const body of bodies) {
    expect((await daemon.deliver(JSON.stringify(body))).status).toBe(200);
  }
  const samples = await samplesOf(daemon);
  expect(samples.get('counterfoil_waiting_deposits')).toBe('1');
  const states = [...samples].filter(([name]) => name.startsWith('counterfoil_deposits{'));
  expect(states).toHaveLength(9);
  expect(states.filter(([, count]) => count !== '0')).toEqual([
    ['counterfoil_deposits{state="confirming"}', '1'],
    ['counterfoil_deposits{state="verifying"}', '1'],
    ['counterfoil_deposits{state="held"}', '1'],
  ]);
  const oldest = 'counterfoil_oldest_held_deposit_age_seconds{reason="unattributed_memo"}';
  expect(Number(samples.get(oldest))).toBeGreaterThanOrEqual(0);
  expect(samples.get('counterfoil_unacknowledged_credits')).toBe('0');
  expect(samples.get('counterfoil_oldest_unacknowledged_credit_age_seconds')).toBe('0');
});

test('a daemon to which nothing has happened has each of its counters, at 0', async () => {
  const daemon = await Daemon.start();
  const samples = await samplesOf(daemon);
  const counters = [...samples].filter(([name]) =>
    /^counterfoil_(notifications|http_refusals|sweep_outcomes)_total/.test(name),
  );
  const labels = counters.map(([name]) => name);
  expect(labels).toContain('counterfoil_http_refusals_total{status="500"}');
  expect(labels).toContain(
    'counterfoil_sweep_outcomes_total{kind="skipped",cause="api_unavailable"}',
  );
  expect(counters.filter(([, value]) => value !== '0')).toEqual([]);
});
