import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { WHOLE } from '../../src/ops/config/config.ts';
import { loadConfig } from '../../src/ops/config/reading/config-file.ts';
import { problemText } from '../../src/ops/config/reading/problem.ts';
import { blocksOf, readPage } from '../docs/reading/page.ts';
import { keyFlaw, SHA256, TOKEN } from '../ops/config/config-folder.ts';
import { makeAuthority } from '../tls/authority.ts';
import { Compose, composeFaults, ReceiverConfig, type ComposeSources } from './compose.ts';
import { instructionsOf } from './image.ts';
import { REPOSITORY } from './source.ts';

const isInstalled = (program: string): boolean =>
  spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
const lacking = ['docker-compose', 'haproxy', 'jq'].filter((program) => !isInstalled(program));
if (lacking.length > 0) console.warn(`skipped: \`apt-get install ${lacking.join(' ')}\` brings it`);

const GUIDE = readPage('docs/how-to/run-in-docker.md');
const NOT_OURS = ['node_modules', 'dist', 'dist-bench', 'reports'];

/** Every compose file of the repository. */
const files = readdirSync(REPOSITORY, { withFileTypes: true })
  .filter(({ name }) => !NOT_OURS.includes(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(REPOSITORY, entry.name), { recursive: true, encoding: 'utf8' }).map(
          (name) => join(entry.name, name),
        )
      : [entry.name],
  )
  .filter((path) => /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/.test(path));

/** A copy of the examples with what the guide makes of them. */
const copy = mkdtempSync(join(tmpdir(), 'counterfoil-compose-'));
const folder = join(copy, 'config/receivers');
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

beforeAll(() => {
  cpSync(join(REPOSITORY, 'config'), join(copy, 'config'), { recursive: true });
  const made = blocksOf(GUIDE).find(({ text }) => text.startsWith('cd config/receivers\n'));
  if (made === undefined) throw new Error(`${GUIDE.path} does not make the files`);
  if (isInstalled('jq')) execFileSync('bash', ['-euc', made.text], { cwd: copy });
});
afterAll(() => rmSync(copy, { recursive: true }));

/** What docker-compose says against a compose file beside the files of the guide. */
function refusal(text: string): string {
  const [file, variables] = [join(folder, 'planted.yaml'), join(folder, 'receivers.env')];
  writeFileSync(file, text);
  writeFileSync(variables, '');
  onTestFinished(() => [file, variables].forEach((path) => rmSync(path)));
  const { status, stderr } = spawnSync('docker-compose', ['-f', file, 'config', '-q'], {
    encoding: 'utf8',
  });
  return status === 0 ? '' : stderr;
}

test('the compose file of the receivers is the only one, and the guide names it', () => {
  expect(files).toEqual(['config/receivers/compose.yaml']);
  expect(GUIDE.text).toContain(files[0]);
});

/** What the compose file is judged by, `change` applied to its text. */
function around(change: (text: string) => string = (text) => text): ComposeSources {
  const dockerfile = instructionsOf(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'));
  return {
    folder: dirname(files[0] ?? ''),
    compose: Compose.parse(parse(change(textOf('compose.yaml')), { merge: true })),
    image: dockerfile.filter(({ stage }) => stage === dockerfile.at(-1)?.stage),
    guide: GUIDE.text,
    proxy: textOf('haproxy-compose.cfg'),
    configOf: (path) => {
      if (!existsSync(join(folder, path)) || !path.endsWith('.json')) return undefined;
      return ReceiverConfig.parse(JSON.parse(textOf(basename(path))));
    },
    exists: (path) => [REPOSITORY, copy].some((root) => existsSync(join(root, path))),
  };
}

/** The variables that the guide lists. */
const VARIABLES: Readonly<Record<string, string>> = {
  DATABASE_PASSWORD: 'open-sesame',
  RECEIVER_SECRET: TOKEN,
  PATH_TOKEN: TOKEN,
  CUSTODY_PIN: `sha256:${SHA256}`,
  OPERATOR_SHA256: SHA256,
};

describe.skipIf(lacking.length > 0)('the compose file and what the guide makes', () => {
  test('docker-compose accepts the compose file', () => {
    expect(refusal(textOf('compose.yaml'))).toBe('');
  });

  test.for([
    ['a misspelt key', 'stop_grace_period', 'stop_grace', 'stop_grace'],
    ['an undeclared volume', 'replica-b:/data', 'replica-c:/data', 'replica-c'],
  ] as const)('docker-compose refuses %s', ([, from, to, said]) => {
    const text = textOf('compose.yaml');
    expect(text).toContain(from);
    expect(refusal(text.replace(from, to))).toContain(said);
  });

  test('the compose file has no fault that can be seen without an engine', () => {
    expect(composeFaults(around())).toEqual([]);
  });

  test.for([
    [
      'a build without a Dockerfile',
      'build: ../..',
      'build: ..',
      'a: build: there is no config/Dockerfile',
    ],
    [
      'a file that nobody makes',
      './database-ca.pem:',
      './authority.pem:',
      'a: ./authority.pem: nobody makes it',
    ],
    [
      'variables that nobody writes',
      'env_file: receivers.env',
      'env_file: secrets.env',
      'a: secrets.env: nobody makes it',
    ],
    [
      'a configuration elsewhere',
      'counterfoil/config.json',
      'counterfoil/own.json',
      'a: /etc/counterfoil/config.json: is not mounted',
    ],
    [
      'a store in the container',
      'replica-a:/data',
      'replica-a:/srv',
      'a: /data: is no named volume',
    ],
    [
      'one replica of two receivers',
      'replica-b:/data',
      'replica-a:/data',
      'replica-a: two services write to it',
    ],
    [
      'too little time to stop',
      'stop_grace_period: 10s',
      'stop_grace_period: 5s',
      'a: stop_grace_period: the daemon needs 10s',
    ],
    [
      'a port that HAProxy does not have',
      "'8443:8443'",
      "'8443:9443'",
      'proxy: 8443:9443: HAProxy does not listen there',
    ],
    [
      'a port that needs a right',
      'port_start: 0',
      'port_start: 1024',
      'proxy: 443:443: HAProxy’s user may not listen there',
    ],
    [
      'a port that the guide does not name',
      "'443:443'",
      "'444:443'",
      'proxy: 444:443: the guide does not name it',
    ],
    [
      'a receiver at another address',
      '172.28.0.22',
      '172.28.0.23',
      'b: 172.28.0.23:8080: HAProxy does not know it',
    ],
    [
      'a proxy that the receivers refuse',
      '172.28.0.10',
      '172.28.0.11',
      'a: ./receiver-a.json: refuses the proxy at 172.28.0.11',
    ],
    [
      'another network',
      'subnet: 172.28.0.0/24',
      'subnet: 172.29.0.0/24',
      '172.28.0.21: is not in 172.29.0.0/24',
    ],
    [
      'any release of HAProxy',
      'haproxy:2.8',
      'haproxy:latest',
      'proxy: haproxy:latest: names no release',
    ],
  ] as const)('%s is a fault', ([, from, to, fault]) => {
    expect(textOf('compose.yaml')).toContain(from);
    expect(composeFaults(around((text) => text.replace(from, to)))).toContain(fault);
  });

  test('a receiver under another name is a fault', () => {
    const change = (text: string): string => text.replace('  b:\n', '  c:\n');
    expect(composeFaults(around(change))).toContain(
      'c: http://b:8080: the other receiver does not find it',
    );
  });

  test('a configuration that the health check of the image cannot reach is a fault', () => {
    const { configOf, ...others } = around();
    const own = (path: string) => {
      const config = configOf(path);
      return config && { ...config, listen: { host: '172.28.0.21', port: 8080 } };
    };
    expect(composeFaults({ ...others, configOf: own })).toContain(
      'a: ./receiver-a.json: the health check asks port 8080',
    );
  });

  test.for(['a', 'b'])('the program accepts the configuration of receiver %s', (name) => {
    const listed = /^\| `receivers\.env` .*$/m.exec(GUIDE.text)?.[0] ?? '';
    const names = [...listed.matchAll(/`([A-Z_\d]{4,})`/g)].map(([, variable = '']) => variable);
    const env = Object.fromEntries(names.map((variable) => [variable, VARIABLES[variable]]));
    const file = join(folder, `receiver-${name}.json`);
    // The authority of the databases is a file of the container.
    const text = readFileSync(file, 'utf8').replace(
      '&sslrootcert=/etc/counterfoil/database-ca.pem',
      '',
    );
    writeFileSync(file, text);
    const loaded = loadConfig({ file, env, part: WHOLE, keyFlaw });
    expect(loaded.kind === 'ok' ? '' : problemText(loaded.problems)).toBe('');
  });

  test('HAProxy accepts the configuration that the guide makes', () => {
    const authority = makeAuthority();
    onTestFinished(authority.remove);
    const tls = join(copy, 'tls');
    mkdirSync(tls);
    const { cert, key } = authority.pairOf('server');
    writeFileSync(join(tls, 'server.pem'), cert + key);
    writeFileSync(join(tls, 'custody-ca.pem'), authority.ca);
    const file = join(copy, 'haproxy.cfg');
    writeFileSync(file, textOf('haproxy-compose.cfg').replaceAll('/etc/haproxy/tls', tls));
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('ALERT')]);
  });
});
