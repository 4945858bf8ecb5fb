import { existsSync } from 'node:fs';
import { openSharedLog } from '../../custody/budget/shared-request-log.ts';
import type { RequestLog } from '../../custody/budget/request-log.ts';
import type { CustodyConfig } from '../../ops/config.ts';
import { realPath } from '../../store/sqlite/writer-lock.ts';
import { CommandFailed } from '../terminal.ts';

/** The file beside a store in which all processes count their requests of the custody API. */
function logPath(storePath: string): string {
  return `${realPath(storePath)}.requests`;
}

/** The daemon's log: it makes the file. Throws `CommandFailed` when it cannot count requests. */
export function daemonLog(storePath: string, { clientId }: CustodyConfig): RequestLog {
  const opened = openSharedLog(logPath(storePath), clientId);
  if (opened.kind === 'open') return opened.log;
  throw new CommandFailed(
    `${opened.detail}: let the user who runs this own the file and its folder, and be able to write both`,
  );
}

/**
 * The log for a command that runs beside the daemon. Undefined where no daemon made one: a command
 * may run as another user, whose file the daemon could not write later. Undefined too where this
 * user cannot write it. Then the command keeps to what the service says of its count.
 */
export function commandLog(storePath: string, { clientId }: CustodyConfig): RequestLog | undefined {
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
