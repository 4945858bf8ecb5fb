import { existsSync } from 'node:fs';
import { openSharedLog } from '../../custody/budget/shared-request-log.ts';
import type { RequestLog } from '../../custody/budget/request-log.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import { realPath } from '../../store/sqlite/file/writer-lock.ts';
import { CommandFailed } from '../process/terminal.ts';
import type { StoreConfig } from '../../ops/config/shared-store.ts';
import type { ClientContext } from './custody-client.ts';
import { sharedCount } from './shared-count.ts';

/** The file beside a store in which all processes count their custody API requests. */
function logPath(storePath: string): string {
  return `${realPath(storePath)}.requests`;
}

/** Where a process counts its requests: with others of its machine, or of several machines. */
type Counting = Pick<ClientContext, 'log' | 'count'>;

/** Where the daemon counts its requests. Throws `CommandFailed` when that cannot be opened. */
export function daemonCounting(store: StoreConfig, custody: CustodyConfig): Counting {
  return store.kind === 'postgres'
    ? { count: sharedCount(store, custody) }
    : { log: daemonLog(store.path, custody) };
}

/** Where a command counts its requests. Throws `CommandFailed` for an address of no use. */
export function commandCounting(store: StoreConfig, custody: CustodyConfig): Counting {
  return store.kind === 'postgres'
    ? { count: sharedCount(store, custody) }
    : { log: commandLog(store.path, custody) };
}

/** Opens the daemon's request log and creates the file. Throws `CommandFailed` when it cannot. */
function daemonLog(storePath: string, { clientId }: CustodyConfig): RequestLog {
  const opened = openSharedLog(logPath(storePath), clientId);
  if (opened.kind === 'open') return opened.log;
  throw new CommandFailed(
    `${opened.detail}: let the user who runs this own the file and its folder, and be able to write both`,
  );
}

/**
 * Opens the request log for a command that runs beside the daemon. Undefined when no daemon created
 * it, because the daemon might be unable to write a file of another user. Undefined too when this
 * user cannot write it. The command then follows the service's headers.
 */
function commandLog(storePath: string, { clientId }: CustodyConfig): RequestLog | undefined {
  const path = logPathIfThere(storePath);
  if (path === undefined) return undefined;
  const opened = openSharedLog(path, clientId);
  return opened.kind === 'open' ? opened.log : undefined;
}

function logPathIfThere(storePath: string): string | undefined {
  if (!existsSync(storePath)) return undefined;
  const path = logPath(storePath);
  return existsSync(path) ? path : undefined;
}
