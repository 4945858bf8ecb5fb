import { EventEmitter } from 'node:events';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { restoreCommand } from '../../../src/commands/store/backup.ts';
import { openLedgerFile } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

test('a restore says when sweeps bring deposits back, and that their owners must be the same', async () => {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  open.close();
  const results: string[] = [];
  const terminal = {
    signals: new EventEmitter(),
    result: (text: string) => void results.push(text),
    note: () => undefined,
    exitWith: () => undefined,
  };
  const store = join(dirname(path), 'restored.db');
  await restoreCommand(terminal, {}).parseAsync(['--from', path, '--store', store], {
    from: 'user',
  });
  const [first, ...next] = results.join('\n').split('\n');
  expect(first).toBe(`${store}: restored with 2 facts`);
  const text = next.join(' ');
  expect(text).toContain(
    'Its sweeps bring back from the custody API what came after the backup, once that is older than `reconcile.graceSeconds` (ten minutes by default).',
  );
  expect(text).toContain(
    'Above all, they name the same owners: the consumer passes over a booked credit even if its owner is now another one.',
  );
});
