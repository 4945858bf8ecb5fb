import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Service } from '../../store/webhook.ts';
import { Daemon } from '../daemon.ts';
import { eventually } from '../program.ts';

/** Ids of notifications that the store's file holds without its log. */
function copiedIds({ storePath, folder }: Daemon): string[] {
  const alone = join(folder, 'alone.db');
  copyFileSync(storePath, alone);
  const db = new Sqlite(alone, { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM notifications').pluck().all();
  } catch {
    // A copy of the file may be taken while pages of the log are being copied into it.
    return [];
  } finally {
    db.close();
  }
}

test('what was committed is copied from the log into the file while the daemon runs', async () => {
  const daemon = await Daemon.start();
  const notification = new Service().confirmed(1);
  expect((await daemon.deliver(JSON.stringify(notification))).status).toBe(200);
  await eventually('the file holds the notification', async () =>
    copiedIds(daemon).includes(notification.id) ? true : undefined,
  );
});
