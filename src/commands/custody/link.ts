import { readFileSync } from 'node:fs';
import type { Attempt } from '../../custody/caller.ts';
import type { RequestLog } from '../../custody/budget/request-log.ts';
import { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import { readPrivateKey } from '../../custody/token.ts';
import type { CustodyConfig } from '../../ops/config.ts';
import { CommandFailed } from '../terminal.ts';

/** What a client shares with the rest of its process, and with other processes. */
export interface ClientSurroundings {
  /** Told after every attempt against the custody API. */
  readonly observe?: (attempt: Attempt) => void;
  /** Where its requests are counted with those of others; the client closes it. */
  readonly log?: RequestLog | undefined;
}

/**
 * The client of the custody API that the configuration names. Its key was checked with it: throws
 * `CommandFailed` where the file was changed since.
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
