import Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { ContenderName, Plan } from './plan.ts';

/** What a server kept of what it acknowledged. */
export interface Settled {
  /** What is wrong with it; empty when all is well. */
  readonly defects: readonly string[];
  /** Notifications that one transaction, with its one fsync, made durable; null without a store. */
  readonly perTransaction: number | null;
}

/** A server under load, with a store of its own that goes away with it. */
export interface Contender {
  readonly url: string;
  readonly pid: number;
  /** Ends the server and looks at what it kept. */
  settle(acknowledged: number): Promise<Settled>;
  remove(): Promise<void>;
}

/** A replay of everything that a few seconds of load have journalled. */
const VERIFY_MS_MAX = 600_000;

interface Server {
  readonly child: Child<{ url: string }>;
  readonly path: string;
  readonly check: (acknowledged: number) => Promise<Settled>;
}

function count(storePath: string, sql: string): number {
  const db = new Database(storePath, { readonly: true, fileMustExist: true });
  try {
    return Number(db.prepare<[], number>(sql).pluck().get());
  } finally {
    db.close();
  }
}

function differs(what: string, kept: number, acknowledged: number): string[] {
  return kept === acknowledged ? [] : [`${acknowledged} answers were 2xx, but ${kept} ${what}`];
}

/** This very program in another role: see main.ts. */
async function startBaseline(
  name: Exclude<ContenderName, 'counterfoil'>,
  storePath: string,
): Promise<Server> {
  const child = await Child.start<{ url: string }>([
    process.argv[1] ?? '',
    'baseline',
    name,
    storePath,
  ]);
  const check = async (acknowledged: number): Promise<Settled> => {
    if (name !== 'one-transaction') return { defects: [], perTransaction: null };
    const stored = count(storePath, 'SELECT count(*) FROM deliveries');
    return { defects: differs('bodies are stored', stored, acknowledged), perTransaction: 1 };
  };
  return { child, path: '/hooks/any', check };
}

function writeConfig(folder: string, storePath: string, pathToken: string): string {
  const path = join(folder, 'config.json');
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    store: `sqlite:${storePath}`,
    intake: { pathTokens: [pathToken] },
    crediting: { default: { confirmations: 6 }, networks: {}, assets: {} },
    // Once a year: intake alone is measured.
    reconcile: { sweep: '0 0 1 1 *' },
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function startCounterfoil(
  { program, profile }: Plan,
  folder: string,
  storePath: string,
): Promise<Server> {
  const pathToken = randomBytes(32).toString('hex');
  const config = writeConfig(folder, storePath, pathToken);
  const profiling = profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const child = await Child.start<{ url: string }>([
    ...profiling,
    program,
    'serve',
    '--config',
    config,
    '--json',
  ]);
  return {
    child,
    path: `/hooks/${pathToken}`,
    check: (acknowledged) => checkBooks(program, storePath, acknowledged),
  };
}

/** Every acknowledged notification is in the store once, is booked once, and the store is sound. */
async function checkBooks(
  program: string,
  storePath: string,
  acknowledged: number,
): Promise<Settled> {
  const accepted = count(storePath, "SELECT count(*) FROM notifications WHERE status = 'accepted'");
  const all = count(storePath, 'SELECT count(*) FROM notifications');
  const entries = count(storePath, "SELECT count(*) FROM entries WHERE cause = 'incoming'");
  const audit = await Child.start<{ sound: boolean; checks: unknown }>(
    [program, 'verify', '--store', storePath, '--json'],
    VERIFY_MS_MAX,
  );
  const { sound, checks } = audit.firstLine;
  await audit.end();
  return {
    defects: [
      ...differs('notifications are in the store', all, acknowledged),
      ...differs('notifications took effect', accepted, acknowledged),
      ...differs('deposits are booked', entries, acknowledged),
      ...(sound ? [] : [`the store is not sound: ${JSON.stringify(checks)}`]),
    ],
    perTransaction: all / count(storePath, 'SELECT count(*) FROM seals'),
  };
}

/** Starts a server in a process of its own, with an empty store. */
export async function startContender(name: ContenderName, plan: Plan): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  const storePath = join(folder, 'store.db');
  const server =
    name === 'counterfoil'
      ? await startCounterfoil(plan, folder, storePath)
      : await startBaseline(name, storePath);
  return {
    url: `${server.child.firstLine.url}${server.path}`,
    pid: server.child.pid,
    settle: async (acknowledged) => {
      const code = await server.child.end();
      const ended =
        name === 'counterfoil' && code !== 0 ? [`it ended with exit code ${code ?? 'none'}`] : [];
      const settled = await server.check(acknowledged);
      return { ...settled, defects: [...ended, ...settled.defects] };
    },
    remove: async () => {
      await server.child.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
