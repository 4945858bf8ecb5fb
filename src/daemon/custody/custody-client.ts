import { readFileSync } from 'node:fs';
import type { Attempt } from '../../custody/call/caller.ts';
import type { RequestLog } from '../../custody/budget/request-log.ts';
import { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import { readPrivateKey } from '../../custody/token.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import { CommandFailed } from '../process/terminal.ts';

/** What a client shares with its process and with other processes. */
export interface ClientSurroundings {
  /** Called after every attempt against the custody API. */
  readonly observe?: (attempt: Attempt) => void;
  /** The request log shared with other processes; the client closes it. */
  readonly log?: RequestLog | undefined;
}

/**
 * Creates the client of the configured custody API. Throws `CommandFailed` when the key file changed
 * since the configuration was read.
 */
export function custodyClientOf(
  config: CustodyConfig,
  { observe, log }: ClientSurroundings,
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
    ...(path === undefined ? {} : { paths: { addressTransactions: path } }),
  });
}
