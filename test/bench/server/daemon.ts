import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Child } from './child.ts';
import { CREDITING } from './product.ts';

/** A large store is opened before the daemon says where it listens. */
const START_MS_MAX = 600_000;

/** Once a year: intake alone is measured, unless something else is asked for. */
const NEVER = '0 0 1 1 *';

/** What a receiver needs that shares its journal with others. */
export interface SharedJournal {
  /** The journal, `postgres://…`. */
  readonly store: string;
  readonly name: string;
  readonly secret: string;
  /** Where it listens: the other receivers know this address. */
  readonly port: number;
  /** All receivers take deliveries at one path. */
  readonly pathToken: string;
}

export interface DaemonOptions {
  /** The built program, `main.js`. */
  readonly program: string;
  /** Where CPU profiles go; null for none. */
  readonly profile: string | null;
  /** For its configuration. */
  readonly folder: string;
  /** The store, or the replica of a receiver that shares its journal. */
  readonly storePath: string;
  readonly shared?: SharedJournal;
  /** The configuration's `custody`, where there is a custody API to ask. */
  readonly custody?: object;
  /** The configuration's `intake.clientCertificate`, where a proxy hands certificates on. */
  readonly clientCertificate?: object;
}

function storeOf({ storePath, shared }: DaemonOptions): object {
  if (shared === undefined) return { store: `sqlite:${storePath}` };
  const { store, name, secret, port } = shared;
  const url = `http://127.0.0.1:${port}`;
  return { store, receiver: { name, url, secret, replica: storePath } };
}

/** Samples of `/metrics`, by name and labels. */
export type Samples = (sample: string) => number | undefined;

/** A running `counterfoil serve`. */
export interface Daemon {
  readonly url: string;
  /** Where deliveries go. */
  readonly hooksUrl: string;
  /** `Authorization` of an operator. */
  readonly authorization: string;
  readonly pid: number;
  /** From the start of the process until it listened. */
  readonly startMs: number;
  metrics(): Promise<Samples>;
  /** Ends in order; the exit code, or null when a signal ended it. */
  end(): Promise<number | null>;
}

async function samplesOf(url: string): Promise<Samples> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const samples = new Map(
    page.split('\n').map((line) => {
      const blank = line.lastIndexOf(' ');
      return [line.slice(0, blank), Number(line.slice(blank + 1))] as const;
    }),
  );
  return (sample) => samples.get(sample);
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { program, profile, folder, shared, custody, clientCertificate } = options;
  const pathToken = shared?.pathToken ?? randomBytes(32).toString('hex');
  const apiToken = randomBytes(32).toString('hex');
  const sha256 = createHash('sha256').update(apiToken).digest('hex');
  const configPath = join(folder, 'config.json');
  const config = {
    listen: { host: '127.0.0.1', port: shared?.port ?? 0 },
    ...storeOf(options),
    intake: {
      pathTokens: [pathToken],
      ...(clientCertificate === undefined ? {} : { clientCertificate }),
    },
    api: { tokens: [{ name: 'bench', role: 'admin', sha256 }] },
    crediting: CREDITING,
    reconcile: { sweep: NEVER, close: NEVER },
    ...(custody === undefined ? {} : { custody }),
  };
  writeFileSync(configPath, JSON.stringify(config));
  const profiling = profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const startedMs = performance.now();
  const child = await Child.start<{ url: string }>(
    [...profiling, program, 'serve', '--config', configPath, '--json'],
    START_MS_MAX,
  );
  const startMs = performance.now() - startedMs;
  const { url } = child.firstLine;
  return {
    url,
    hooksUrl: `${url}/hooks/${pathToken}`,
    authorization: `Bearer ${apiToken}`,
    pid: child.pid,
    startMs,
    metrics: () => samplesOf(url),
    end: () => child.end(),
  };
}

/** Resident memory of a process in bytes, or null where the system does not report it. */
export function residentBytesOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kib = /^VmRSS:\s+([0-9]+) kB/m.exec(status)?.[1];
    return kib === undefined ? null : Number(kib) * 1_024;
  } catch {
    return null;
  }
}
