import { expect, onTestFinished, test } from 'vitest';
import { closeOf } from '../../store/close/closing.ts';
import { OpenLedger, SIX_DEEP } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A daemon over a store that was written by a clock which was ahead. */
async function writtenAhead(
  aheadMs: number,
  more: (open: OpenLedger) => Promise<unknown> = async () => undefined,
): Promise<Daemon> {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const open = new OpenLedger(daemon.storePath);
  open.at = Date.now() + aheadMs;
  await open.setPolicy(SIX_DEEP);
  await open.deliver(new Service().confirmed(6));
  await more(open);
  open.close();
  return daemon;
}

/** What the log says of the clock. */
function warnings(daemon: Daemon): string[] {
  return daemon
    .stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>)
    .filter(({ check }) => check === 'clock')
    .map(({ level, msg }) => `${level} ${msg}`);
}

test('a start before the newest fact says by how much, and the store goes on', async () => {
  const daemon = await writtenAhead(3 * HOUR_MS);
  const doctor = await callProgram('doctor', '--config', daemon.configPath);
  expect(doctor.stdout).toMatch(/^warning clock: .* lies 3 hours in the future; check the clock$/m);
  await daemon.start();
  expect(warnings(daemon)).toEqual([
    expect.stringMatching(/^warn the newest fact .* lies 3 hours in the future; check the clock$/),
  ]);
  const [webhook] = [new Service().confirmed(6)];
  const again = await daemon.deliver(JSON.stringify(webhook));
  expect([again.status, await again.text()]).toEqual([200, '{"status":"duplicate"}']);
  const fresh = await daemon.deliver(JSON.stringify({ ...webhook, id: 'n-new', confirmations: 7 }));
  expect([fresh.status, await fresh.text()]).toEqual([200, '{"status":"accepted"}']);
  await daemon.end('SIGTERM');
  await daemon.start();
  expect(warnings(daemon)).toEqual([]);
  await daemon.end('SIGTERM');
  expect((await callProgram('verify', '--store', daemon.storePath)).code).toBe(0);
});

test('every start reports a closed day that has not ended', async () => {
  const day = new Date(Date.now() + 5 * DAY_MS).toISOString().slice(0, 10);
  const cutOffAt = Date.parse(day) + DAY_MS;
  const daemon = await writtenAhead(5 * DAY_MS, (open) =>
    open.commit([
      { kind: 'custody-record', at: cutOffAt, record: closeOf(open, { day, cutOffAt }) },
    ]),
  );
  const closed: unknown = expect.stringContaining(`${day} is closed already but ends only in`);
  await daemon.start();
  expect(warnings(daemon)).toEqual([expect.stringContaining('days in the future'), closed]);
  await daemon.deliver('no JSON');
  await daemon.end('SIGTERM');
  await daemon.start();
  expect(warnings(daemon)).toEqual([closed]);
});
