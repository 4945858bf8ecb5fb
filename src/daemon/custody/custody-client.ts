import { readFileSync } from 'node:fs';
import type { Attempt } from '../../custody/call/caller.ts';
import type { RequestLog } from '../../custody/budget/request-log.ts';
import type { SharedCount } from '../../custody/budget/shared-count.ts';
import { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import { readPrivateKey } from '../../custody/token.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import { CommandFailed } from '../process/terminal.ts';

/** What a client shares with its process and with other processes. */
export interface ClientContext {
  /** Called after every attempt against the custody API. */
  readonly observe?: (attempt: Attempt) => void;
  /** The request log shared with other processes; the client closes it. */
  readonly log?: RequestLog | undefined;
  /** The count that several machines share, in place of a log; the client closes it. */
  readonly count?: SharedCount | undefined;
}

/**
 * Creates the client of the configured custody API. Throws `CommandFailed` when the key file changed
 * since the configuration was read.
 */
export function custodyClientOf(
  config: CustodyConfig,
  { observe, log, count }: ClientContext,
): CustodyClient {
  const key = readPrivateKey(readFileSync(config.privateKeyFile, 'utf8'));
  if (key.kind === 'invalid') {
    throw new CommandFailed(`custody.privateKeyFile: ${config.privateKeyFile} is ${key.detail}`, 2);
  }
  const { baseUrl, clientId } = config;
  const path = config.paths.addressTransactions;
  return new CustodyClient({
    baseUrl,
    clientId,
    privateKey: key.key,
    clock: systemClock,
    random: Math.random,
    ...(observe === undefined ? {} : { observe }),
    ...(log === undefined ? {} : { log }),
    count,
    ...(path === undefined ? {} : { paths: { addressTransactions: path } }),
  });
}
