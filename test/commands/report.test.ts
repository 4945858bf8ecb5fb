import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { reportCommand } from '../../src/commands/report.ts';
import { closeOf, closesOf } from '../store/close/closing.ts';
import { OpenLedger, temporaryPath } from '../store/open-ledger.ts';
import { daemonOnLoopback } from './daemon-on-loopback.ts';
import { change, Service } from '../store/webhook.ts';

const DAY = '2025-11-20';

/** What the command says beside the report that it prints. */
async function said(...flags: string[]): Promise<string> {
  const notes: string[] = [];
  const command = reportCommand(
    {
      signals: new EventEmitter(),
      result: () => undefined,
      note: (text) => void notes.push(text),
      exitWith: () => undefined,
    },
    { COUNTERFOIL_TOKEN: 'a-token' },
  );
  await command.parseAsync(flags, { from: 'user' });
  return notes.join('\n');
}

/** A daemon that answers each path that begins with one of these with its text. */
function daemonWith(answers: Readonly<Record<string, string>>): Promise<string> {
  return daemonOnLoopback((request, response) => {
    const path = Object.keys(answers).find((one) => request.url?.startsWith(one));
    response.end(path === undefined ? '{}' : answers[path]);
  });
}

test('the status line names critical breaks at the cut-off, from a store and from a daemon', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  await open.deliver(
    new Service().chain('transaction', {
      blockchainHash: '0xe4',
      balanceChanges: [change('-5')],
    }),
  );
  await open.unboundedRun();
  open.at += 1_000;
  await open.record(closeOf(open, { day: DAY, cutOffAt: open.at, rules: 2 }));
  const [closed] = closesOf(open);
  open.close();
  const { report = '', report_hash: reportHash = '', status = '' } = closed ?? {};
  const line = `${DAY}: ${status}, 1 critical break at the cut-off, reportHash ${reportHash}`;
  expect(await said('--store', path)).toBe(line);
  const shown = JSON.stringify({ ...JSON.parse(report), reportHash, signatures: [] });
  const url = await daemonWith({
    '/v1/reports/daily?': JSON.stringify({ data: [{ day: DAY }] }),
    [`/v1/reports/daily/${DAY}`]: shown,
  });
  expect(await said('--url', url)).toBe(line);
});
