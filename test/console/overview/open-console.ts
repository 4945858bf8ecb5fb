import type { ConsoleOptions } from '../../../src/console/application.ts';
import type { DaemonStatus } from '../../../src/console/overview/daemon-status.ts';
import { CALM, consoleUnderTest, PUBLIC, words } from '../console-under-test.ts';

/** A public console over a store of its own, whose overview `read` opens. */
export async function openConsole(options: Partial<ConsoleOptions> = {}) {
  const { open, service, stranger } = await consoleUnderTest({
    ...PUBLIC,
    ...options,
  });
  return { open, service, stranger, read: () => stranger.get('/console') };
}

/** The overview's words while the daemon says this of itself. */
export async function withStatus(status: Partial<DaemonStatus>): Promise<string> {
  const { read } = await openConsole({ status: () => ({ ...CALM, ...status }) });
  return words(await read());
}
