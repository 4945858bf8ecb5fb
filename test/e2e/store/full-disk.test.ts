import { expect, test } from 'vitest';
import { Daemon } from '../daemon.ts';
import { smallDisk } from '../receivers/small-disk.ts';

const DISK_MB = 32;

test('a daemon is ready again soon after a full disk has room, although nothing is delivered', async ({
  skip,
}) => {
  const disk = smallDisk(DISK_MB);
  if (disk === null) {
    skip('this user may mount no file system');
    return;
  }
  const daemon = await Daemon.start({ storeFolder: disk.folder });
  const readiness = async (): Promise<number> => (await fetch(`${daemon.url}/readyz`)).status;
  disk.fill();
  // It is kept in quarantine, and does not fit the rest of the log's pages.
  const body = JSON.stringify({ id: 'n1', text: 'x'.repeat(100_000) });
  expect((await daemon.deliver(body)).status).toBe(503);
  await expect.poll(readiness).toBe(503);
  await expect.poll(() => daemon.stderr()).toMatch(/accepts no writes/);
  disk.free();
  await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
  expect(daemon.stderr()).toMatch(/the store accepts writes again/);
  expect(daemon.stderr().match(/accepts no writes/g)).toHaveLength(1);
  expect((await daemon.deliver(body)).status).toBe(200);
  expect(await daemon.end('SIGTERM')).toBe(0);
});
