import { existsSync } from 'node:fs';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { STORE } from '../../ops/config/config.ts';
import type { StoreConfig } from '../../ops/config/shared-store.ts';
import { configFrom } from '../config-file.ts';
import { CommandFailed } from '../../daemon/process/terminal.ts';
import { folderRefusal } from '../../store/sqlite/file/open-refusal.ts';
import { isDatabase } from './journal-at.ts';

interface StoreFlags {
  readonly store?: string;
  readonly config?: string;
}

/**
 * The path of the store, from --store or from the configuration. The file may not exist yet. Throws
 * `CommandFailed` when both name it, or neither.
 */
export function storePathFrom(flags: StoreFlags, environment: Environment): string {
  const { store, config } = flags;
  if (store !== undefined && config !== undefined) {
    throw new CommandFailed(
      `--store and --config both name a store: leave out --config to work on ${store}, or --store to work on the one that ${config} names`,
      2,
    );
  }
  return store?.replace(/^sqlite:/, '') ?? storeOfConfig(config, environment);
}

/** Refuses a store that is a database, for a command that works on a file; `instead`: what to do. */
export function refuseDatabase({ store }: StoreFlags, instead: string): void {
  if (store !== undefined && isDatabase(store)) {
    throw new CommandFailed(`--store names a database. ${instead}`, 2);
  }
}

/** Refuses the replica of a shared journal, for a command that adds a fact; `instead`: what to do. */
export function refuseReplica(
  { config }: StoreFlags,
  environment: Environment,
  instead: string,
): void {
  if (config === undefined || configuredStore(config, environment).kind === 'sqlite') return;
  throw new CommandFailed(
    `${config} names a journal in PostgreSQL, and receiver.replica is a receiver's copy of it. ${instead}`,
    2,
  );
}

/** The path of an existing store. Throws `CommandFailed` when it does not exist or is a folder. */
export function storeFrom(flags: StoreFlags, environment: Environment): string {
  const path = storePathFrom(flags, environment);
  const { config } = flags;
  const next =
    config === undefined
      ? "check the path of the store's file"
      : `${config} names it; the daemon makes it at its first start`;
  refuseNoFile(path, next);
  return path;
}

/** Refuses a path to read where no file is; `next`: what to do when nothing is there at all. */
export function refuseNoFile(path: string, next: string): void {
  if (!existsSync(path)) throw new CommandFailed(`${path} does not exist: ${next}`, 2);
  const folder = folderRefusal(path);
  if (folder !== undefined) throw new CommandFailed(folder.message, 2);
}

function storeOfConfig(config: string | undefined, environment: Environment): string {
  if (config === undefined) {
    throw new CommandFailed("give the store with --store FILE, or the daemon's --config FILE", 2);
  }
  return configuredStore(config, environment).path;
}

function configuredStore(config: string, environment: Environment): StoreConfig {
  return configFrom(STORE, config, environment).store;
}
