import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { copyToJournal } from '../../../../src/commands/store/copy-journal.ts';
import { serverUser } from '../../../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../../../src/commands/demo/postgres/server.ts';
import type { SealedCommit } from '../../../../src/store/replicated/shared-journal.ts';
import { runProgram } from '../../../e2e/program.ts';
import type { PostgresCluster } from '../../../postgres/cluster.ts';
import { PASSWORD, PostgresServer } from '../../../postgres/server.ts';
import { OpenLedger, temporaryPath } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';
import { EMPTY } from '../commits.ts';
import { newJournal, readAll, receiver } from '../receiver.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** A temporary folder of the servers' user, with folders in it; the caller removes it. */
export function serverFolder(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-backup-'));
  const folders = names.map((name) => join(folder, name));
  for (const path of folders) mkdirSync(path);
  const { uid, gid } = serverUser();
  for (const path of [folder, ...folders]) {
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
  return folder;
}

/** Removes a folder that `serverFolder` made. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a command of the program that must succeed, and returns what it printed. */
export async function succeeded(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** Commits of webhooks, one each, as receivers append them. */
export async function webhookCommits(
  cluster: PostgresCluster,
  count: number,
): Promise<SealedCommit[]> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  for (let number = 1; number <= count; number += 1) {
    await open.deliver(new Service().confirmed(number));
  }
  open.close();
  const source = await newJournal(cluster);
  await copyToJournal(path, receiver(source, 'copy'), SILENT);
  return readAll(receiver(source, 'reader'), EMPTY);
}

/** Starts a server over restored data, until the test ends. Ends when it has recovered. */
export async function startOver(
  cluster: PostgresCluster,
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const server = new PostgresServer(data, settings);
  onTestFinished(() => server.stop());
  await server.start();
  const isPrimary = 'SELECT NOT pg_is_in_recovery() AS done';
  await expect.poll(() => cluster.sql(isPrimary, { server })).toEqual([{ done: true }]);
  return server;
}

/** The address of a journal on a server. */
export function urlOn({ port }: PostgresServer, schema: string): string {
  return `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/postgres?schema=${schema}`;
}
