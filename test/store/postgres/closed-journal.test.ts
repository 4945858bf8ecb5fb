import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { JournalUnavailable } from '../../../src/store/replicated/shared-journal.ts';
import { receiver } from './receiver.ts';

/** A server that takes connections and never answers, with the connections that it has taken. */
async function silentServer(): Promise<{ readonly port: number; readonly taken: () => number }> {
  let taken = 0;
  const server = createServer((socket) => {
    taken += 1;
    socket.on('error', () => socket.destroy()).resume();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, taken: () => taken };
}

test('a journal that is closed while its servers are silent gives up at once, and asks nobody else', async () => {
  const [first, second] = [await silentServer(), await silentServer()];
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const journal = receiver(journalAddress(`postgres://user@${hosts}/books`), 'a');
  const asked = journal.owner().catch((error: unknown) => error);
  await expect.poll(first.taken).toBe(1);
  await journal.close();
  expect(await asked).toBeInstanceOf(JournalUnavailable);
  await expect(journal.owner()).rejects.toThrow('the connection to PostgreSQL is closed');
  expect([first.taken(), second.taken()]).toEqual([1, 0]);
});
