import { EventEmitter } from 'node:events';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { restoreCommand } from '../../../src/commands/store/backup.ts';
import type { Terminal } from '../../../src/daemon/process/terminal.ts';
import { openLedgerFile } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

/** A terminal that keeps its results. */
function terminalOf(results: string[]): Terminal {
  return {
    signals: new EventEmitter(),
    result: (text) => void results.push(text),
    note: () => undefined,
    exitWith: () => undefined,
  };
}

test('a restore refuses a replica: the journal would not have its record, and the receiver would diverge', async () => {
  const { open, path } = await openLedgerFile();
  open.close();
  const config = join(dirname(path), 'config.json');
  const receiver = {
    name: 'a',
    url: 'http://a.test',
    secret: 's'.repeat(32),
    replica: 'replica.db',
  };
  writeFileSync(config, JSON.stringify({ store: 'postgres://u@db1/books', receiver }));
  const restored = restoreCommand(terminalOf([]), {}).parseAsync(
    ['--from', path, '--config', config],
    { from: 'user' },
  );
  await expect(restored).rejects.toThrow(
    `${config} names a journal in PostgreSQL, and receiver.replica is a receiver's copy of it. PostgreSQL's own tools back up and restore a database`,
  );
  expect(existsSync(join(dirname(path), 'replica.db'))).toBe(false);
});

test('a restore of the store over itself is refused, also by another path to it', async () => {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  open.close();
  const folder = dirname(path);
  const link = join(folder, 'link.db');
  symlinkSync(path, link);
  const before = readdirSync(folder);
  for (const from of [path, link]) {
    const restored = restoreCommand(terminalOf([]), {}).parseAsync(
      ['--from', from, '--store', path],
      { from: 'user' },
    );
    await expect(restored).rejects.toThrow(
      `${from} is the store itself: restoring it would change nothing but the numbers of its credit feed. Give a backup with --from`,
    );
  }
  expect(readdirSync(folder)).toEqual(before);
});

test('a restore says when sweeps bring deposits back, and that their owners must be the same', async () => {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  open.close();
  const results: string[] = [];
  const terminal = terminalOf(results);
  const store = join(dirname(path), 'restored.db');
  await restoreCommand(terminal, {}).parseAsync(['--from', path, '--store', store], {
    from: 'user',
  });
  const [first, ...next] = results.join('\n').split('\n');
  expect(first).toBe(`${store}: restored with 2 facts, and fact 3 records the restore`);
  const text = next.join(' ');
  expect(text).toContain(
    `Next: set \`store\` to \`sqlite:${store}\` in the daemon's configuration, unless it names this file, and start the daemon.`,
  );
  expect(text).toContain(
    'Its sweeps bring back from the custody API what came after the backup, once that is older than `reconcile.graceSeconds` (ten minutes by default).',
  );
  expect(text).toContain(
    'They must name the same owners: the consumer skips a booked credit even if its owner is now another one.',
  );
  expect(text).toContain(
    'Tokens and halts are as in the backup: one that was revoked or rotated since is valid again.',
  );
});
