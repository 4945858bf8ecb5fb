import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../../tls/authority.ts';
import { collect, eventually, freePort } from '../program.ts';
import { send } from './raw-sender.ts';

/** Where every example expects the daemon. */
const SOCKET = /(unix[:@/])\/run\/counterfoil\/intake\.sock/g;

/** What is changed in an example: every pattern must be found there. */
type Swap = readonly [pattern: RegExp, text: string];

export const PROXIES = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyName = (typeof PROXIES)[number];

/** Where a proxy of a test has its files, its port and its daemon. */
interface ProxyAddresses {
  readonly folder: string;
  readonly port: number;
}

interface Kind {
  readonly file: string;
  readonly version: readonly string[];
  /** A text of the example for a real machine, and the text of a test that replaces it. */
  readonly swaps: (at: ProxyAddresses) => readonly Swap[];
  readonly args: (config: string, at: ProxyAddresses) => readonly string[];
  readonly logs: readonly string[];
}

const KINDS: Record<ProxyName, Kind> = {
  nginx: {
    file: 'nginx.conf',
    version: ['-v'],
    swaps: ({ folder, port }) => [
      [/\/var\/log\/nginx/g, folder],
      [/\/etc\/nginx\/tls/g, folder],
      [/listen 443/g, `listen 127.0.0.1:${port}`],
      // As root, nginx would serve as nobody, who may not enter the folder of a test.
      [/worker_processes auto;/g, 'worker_processes 1; user root;'],
      [/^http \{/gm, `http {\n  client_body_temp_path ${folder}/bodies;`],
    ],
    args: (config, { folder }) => {
      const paths = ['-e', join(folder, 'startup.log'), '-p', folder, '-c', config];
      return [...paths, '-g', `daemon off; pid ${folder}/nginx.pid;`];
    },
    logs: ['counterfoil.log', 'counterfoil-error.log', 'startup.log'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    version: ['-v'],
    swaps: ({ folder, port }) => [
      [/\/etc\/haproxy\/tls\/server\.pem/g, `${folder}/server-with-key.pem`],
      [/\/etc\/haproxy\/tls/g, folder],
      [/bind :443/g, `bind 127.0.0.1:${port}`],
    ],
    args: (config) => ['-db', '-f', config],
    logs: [],
  },
  caddy: {
    file: 'Caddyfile',
    version: ['version'],
    swaps: ({ folder, port }) => [
      [/\/etc\/caddy\/tls/g, folder],
      [/^:443 \{/gm, `:${port} {\n\tbind 127.0.0.1`],
    ],
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
    logs: [],
  },
};

/** Whether a proxy is installed; `.ci/run` installs all of them. */
export function isInstalled(name: ProxyName): boolean {
  return spawnSync(name, KINDS[name].version).status === 0;
}

/** The example with the folder and ports of a test; every swap must find its text. */
function exampleIn(path: string, swaps: readonly Swap[]): string {
  let text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  for (const [from, to] of swaps) {
    const changed = text.replaceAll(from, to);
    if (changed === text) throw new Error(`${path} has no ${String(from)}`);
    text = changed;
  }
  return text;
}

/** A running proxy with the example configuration. */
export interface Proxy {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** Everything that it has logged, and has said on its standard streams; also after its end. */
  readonly logs: () => string;
  readonly end: () => Promise<void>;
}

interface ProxyOptions {
  readonly authority: Authority;
  /** The daemon's Unix socket, or its port on 127.0.0.1; absent: `changes` name the servers. */
  readonly daemon?: string | number;
  /** The folder of the example; `config/proxy` by default. */
  readonly examples?: string;
  /** Further changes of the example. */
  readonly changes?: readonly Swap[];
}

/** Starts a proxy in front of a daemon. */
export async function startProxy(
  name: ProxyName,
  { authority, daemon, examples = 'config/proxy', changes = [] }: ProxyOptions,
): Promise<Proxy> {
  const kind = KINDS[name];
  const folder = mkdtempSync(join(tmpdir(), `counterfoil-${name}-`));
  const at = { folder, port: await freePort() };
  const address = typeof daemon === 'string' ? `$1${daemon}` : `127.0.0.1:${daemon}`;
  const daemons: Swap[] = daemon === undefined ? [] : [[SOCKET, address]];
  const swaps = [...kind.swaps(at), ...daemons, ...changes];
  const { cert, key } = authority.pairOf('server');
  writeFileSync(join(folder, 'server.pem'), cert);
  writeFileSync(join(folder, 'server.key'), key);
  writeFileSync(join(folder, 'server-with-key.pem'), cert + key);
  writeFileSync(join(folder, 'custody-ca.pem'), authority.ca);
  mkdirSync(join(folder, 'bodies'));
  const config = join(folder, kind.file);
  writeFileSync(config, exampleIn(`${examples}/${kind.file}`, swaps));
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(name, kind.args(config, at), { stdio: ['ignore', 'pipe', 'pipe'], env });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const closed = once(child, 'close');
  const files = (): string[] =>
    kind.logs.map((file) => join(folder, file)).filter((path) => existsSync(path));
  let kept: string | null = null;
  const logs = (): string =>
    kept ?? [out(), err(), ...files().map((path) => readFileSync(path, 'utf8'))].join('\n');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
    kept ??= logs();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(`${name} listens`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${logs()}`);
      const text = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
      const answer = await send(at.port, { text, pair: authority.pairOf('valid') });
      // A changed example may speak plain HTTP, and then there is no answer over TLS.
      return answer.error === 'ECONNREFUSED' ? undefined : true;
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { port: at.port, pid: child.pid ?? 0, folder, logs, end };
}
