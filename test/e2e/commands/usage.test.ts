import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/file/database.ts';
import { Daemon } from '../daemon.ts';
import { callProgram } from '../called-program.ts';
import { MAIN, runProgram, runUnread } from '../program.ts';

const COMMANDS = [
  'demo',
  'serve',
  'core',
  'reconcile',
  'report',
  'verify',
  'rebuild',
  'backup',
  'restore',
  'keygen',
  'subscribe',
  'doctor',
] as const;

test.each([
  [['restore', '--help'], 0],
  [['core', '--clock', 'sundial'], 2],
  [['core', '--host', '192.0.2.1', '--port', '0'], 1],
  [['verify', '--store', tmpdir()], 1],
  [['serve', '--config', '/nowhere/at-all.json'], 2],
])('%j: exit %d, and a called command prints the same', async (args, code) => {
  const finished = await runProgram(...args);
  expect(finished.code).toBe(code);
  expect(await callProgram(...args)).toEqual(finished);
});

test.each(COMMANDS)('counterfoil %s --help says what it does and exits 0', async (command) => {
  const { code, stdout, stderr } = await callProgram(command, '--help');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(new RegExp(`^Usage: counterfoil ${command}\\b`));
  // More than the list of options that commander makes by itself.
  expect(stdout.split('\n').length).toBeGreaterThan(6);
  // All of them print for programs too.
  expect(stdout).toContain('--json');
});

test.each(COMMANDS)(
  'counterfoil %s with an option that it has not: exit 2 and a message',
  async (command) => {
    const { code, stdout, stderr } = await callProgram(command, '--no-such-option');
    expect([code, stdout]).toEqual([2, '']);
    // Where an option is missing too, either may be named.
    expect(stderr).toMatch(/^error: .*--(no-such-option|config|out|from|store)/);
  },
);

test.each([
  [['nonsense'], /nonsense/],
  [['serve'], /--config/],
  [['serve', '--config'], /--config/],
  [['serve', '--config', '/nowhere/at-all.json'], /at-all\.json/],
  [['core', '--port', '99999'], /port/],
  [['core', '--port', 'http'], /port/],
  [['core', '--clock', 'sundial'], /sundial|clock/],
  [['core', '--start-time', 'yesterday', '--clock', 'virtual'], /ISO 8601/],
  [['core', '--start-time', '1969-12-31T00:00:00Z', '--clock', 'virtual'], /1970/],
  [['core', '--start-time', '2026-01-01T00:00:00Z'], /--clock virtual/],
  [['core', '--smtp-url', 'mail.example'], /begins with smtp:/],
  [['core', '--public-url', 'smtp://core.example'], /begins with https:/],
  [['core', '--callback-url', 'https://a.example', 'b.example'], /b\.example.* begins with https:/],
  [['demo', '--for', 'ever'], /duration/],
  [['demo', '--for', '0s'], /duration/],
  [['demo', '--seed', '-1'], /seed/],
  [['verify'], /--store/],
  [['verify', '--store', '/nowhere/at-all.db'], /at-all\.db/],
  [['rebuild'], /--store/],
  [['report', '--store', 'postgres://x/y'], /names a database\. Ask a running receiver with --url/],
  [['backup'], /--out/],
  [['restore', '--from', '/nowhere/at-all.db', '--store', 'x'], /at-all\.db/],
  [['reconcile'], /COUNTERFOIL_TOKEN/],
  [['reconcile', '--token-file', '/nowhere/token'], /\/nowhere\/token/],
  [['reconcile', '--token-file', MAIN], /main\.js holds no token/],
  [['reconcile', '--token-file', '/dev/null', '--url', 'nonsense'], /token|url/i],
  [['verify', 'surplus', '--store', 'x'], /surplus|argument/i],
])('%j: exit 2 and a message that names the cause', async (args, message) => {
  const { code, stdout, stderr } = await callProgram(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  // A message for people, not a stack trace.
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each([
  ['no JSON', '{', /JSON|json/],
  ['an unknown key', '{"store":"sqlite:x","surprise":1}', /surprise/],
  ['a cron pattern that is none', '{"reconcile":{"sweep":"often"}}', /reconcile\.sweep/],
])('a configuration with %s: exit 2, and its key is named', async (_what, text, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  const { code, stderr } = await callProgram('serve', '--config', file);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a port that is taken: exit 1 at once, and nothing keeps the store', async () => {
  const daemon = await Daemon.start();
  const second = new Daemon({ port: Number(new URL(daemon.url).port) });
  onTestFinished(() => second.remove());
  for (let time = 0; time < 2; time += 1) {
    const { code, stderr } = await runProgram('serve', '--config', second.configPath);
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot listen on .*change listen\.port/);
  }
});

test('a file that is no store is a problem found, not bad usage', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db');
  writeFileSync(file, 'this is a text file, long enough to be looked at as one '.repeat(20));
  const { code, stderr } = await runProgram('verify', '--store', file);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a store is named as in the configuration too, with `sqlite:` before its file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db');
  openForWriting(file).close();
  const { code, stdout } = await callProgram('verify', '--store', `sqlite:${file}`);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${file}: 0 facts`)]);
});

test.each([
  ['doctor', "the authority that issued the proxy's certificate"],
  ['reconcile', "the authority that issued the daemon's certificate"],
] as const)('counterfoil %s --help names the server of --ca', async (command, text) => {
  const { stdout } = await callProgram(command, '--help');
  expect(stdout.replace(/\s+/g, ' ')).toContain(text);
});

test('a folder at the path of a store is reported as a folder', async () => {
  const { code, stderr } = await callProgram('verify', '--store', tmpdir());
  expect([code, stderr]).toEqual([
    1,
    `counterfoil: ${tmpdir()} is a folder: name the file in it\n`,
  ]);
});

test.each([
  ['verify'],
  ['rebuild'],
  ['report', '--date', '2025-11-20'],
  ['backup', '--out', '/nowhere/copy.db'],
  ['restore', '--from', MAIN],
])('%j: two stores are bad usage, and the message names both solutions', async (...command) => {
  const two = ['--store', MAIN, '--config', 'config.json'];
  const { code, stdout, stderr } = await callProgram(...command, ...two);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    `counterfoil: --store and --config both name a store: leave out --config to work on ${MAIN}, or --store to work on the one that config.json names\n`,
  ]);
});

test.each([['serve'], ['rebuild'], ['restore', '--from']])(
  '%j: a folder at the path of the store is refused, and no file is left beside it',
  async (command, ...from) => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    const backup = join(daemon.folder, 'backup.db');
    openForWriting(backup).close();
    mkdirSync(daemon.storePath);
    const args = [command, ...from.flatMap((option) => [option, backup])];
    const { code, stderr } = await callProgram(...args, '--config', daemon.configPath);
    expect([code, stderr]).toEqual([
      1,
      `counterfoil: ${daemon.storePath} is a folder: name the file in it\n`,
    ]);
    const beside = readdirSync(daemon.folder).filter((name) => name.startsWith('store.db'));
    expect(beside).toEqual(['store.db']);
  },
);

test.each([['serve'], ['doctor']])(
  '%s: a store below a file is refused, and the file is named',
  async (command) => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    writeFileSync(daemon.storePath, '');
    const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as Record<string, unknown>;
    const store = `sqlite:${daemon.storePath}/store.db`;
    writeFileSync(daemon.configPath, JSON.stringify({ ...config, store }));
    const { code, stdout, stderr } = await runProgram(command, '--config', daemon.configPath);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`${daemon.storePath} is`);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

test('a misspelt option leads to the help of its command', async () => {
  const { code, stderr } = await callProgram('serve', '--confg', 'config.json');
  expect(code).toBe(2);
  expect(stderr).toContain('See counterfoil serve --help.');
});

test('an address of another machine: exit 1, and what to change', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as Record<string, unknown>;
  const listen = { host: '192.0.2.1', port: 0 };
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, listen }));
  const { code, stderr } = await runProgram('serve', '--config', daemon.configPath);
  expect(code).toBe(1);
  expect(stderr).toMatch(/192\.0\.2\.1.*listen\.host/);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each([
  [['core', '--host', '192.0.2.1', '--port', '0'], 1, /192\.0\.2\.1.*--host/],
  [['core', '--host', 'nowhere.invalid', '--port', '0'], 1, /nowhere\.invalid.*--host/],
  [['core', '--port', '65535'], 2, /--control-port/],
  [['demo', '--core-port', '65535'], 2, /--core-port 65535/],
] as const)('%j: exit %d at once, and what to change', async (args, exitCode, message) => {
  const { code, stdout, stderr } = await callProgram(...args);
  expect([code, stdout]).toEqual([exitCode, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each(['serve', 'doctor'])(
  '%s reports a wrong store, a wrong key and a wrong certificate together',
  async (command) => {
    const daemon = new Daemon({
      custody: ({ folder, hookPath }) => {
        writeFileSync(join(folder, 'custody.key'), 'no key');
        return {
          baseUrl: 'https://custody.example',
          clientId: 'c',
          privateKeyFile: 'custody.key',
          webhookUrl: `https://hooks.example${hookPath}`,
          vaults: 'all',
        };
      },
    });
    onTestFinished(() => daemon.remove());
    const { configPath } = daemon;
    const config = JSON.parse(readFileSync(configPath, 'utf8')) as Record<string, unknown>;
    const listen = { port: 0, tls: { certFile: configPath, keyFile: configPath } };
    writeFileSync(configPath, JSON.stringify({ ...config, listen, store: 'postgres://h/db' }));
    const { code, stdout, stderr } = await callProgram(command, '--config', configPath);
    expect([code, stdout, stderr.split('\n')]).toEqual([
      2,
      '',
      [
        `counterfoil: ${configPath} cannot be used:`,
        `  listen.tls.certFile: ${configPath} is not a certificate in PEM`,
        `  listen.tls.keyFile: ${configPath} is not an unencrypted private key in PEM`,
        '  store: names no user: USER@HOST',
        `  custody.privateKeyFile: ${join(daemon.folder, 'custody.key')} is not an unencrypted private key in PEM: make a key with \`counterfoil keygen --out custody\``,
        '',
      ],
    ]);
  },
);

test('a daemon starts where a process may have 128 files open', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const serve = [process.execPath, MAIN, 'serve', '--config', daemon.configPath, '--json'];
  const started = spawn('sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...serve], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  const [said] = (await once(started.stdout, 'data')) as [Buffer];
  expect(said.toString()).toMatch(/"url":"http/);
  started.kill('SIGTERM');
  expect(await once(started, 'exit')).toEqual([0, null]);
});

test('a key that does not fit the disk leaves no half of itself in the way of the next try', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, MAIN, 'keygen', '--out', 'new'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([1, expect.stringMatching(/new\.key cannot be written/)]);
  expect(readdirSync(folder)).toEqual([]);
});

// Linux has a file that is always full.
test.skipIf(!existsSync('/dev/full'))(
  'a result that cannot be written whole: exit 1 and the cause',
  () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'keygen', '--token'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    const said = /^counterfoil: standard output cannot be written: ENOSPC.*\n$/;
    expect([status, stderr]).toEqual([1, expect.stringMatching(said)]);
  },
);

test.skipIf(!existsSync('/dev/full'))(
  'a daemon whose log is on a full disk goes on, and ends in order',
  async () => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    const full = openSync('/dev/full', 'w');
    const serve = spawn(process.execPath, [MAIN, 'serve', '--config', daemon.configPath], {
      stdio: ['ignore', 'pipe', full],
    });
    onTestFinished(() => void serve.kill('SIGKILL'));
    closeSync(full);
    const ended = once(serve, 'exit');
    if (serve.stdout === null) throw new Error('its output was not piped');
    const [said] = (await once(serve.stdout, 'data')) as [Buffer];
    const [url = ''] = /http:\S+/.exec(said.toString()) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    serve.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);

test('counterfoil --version and --help exit 0; nothing at all is bad usage', async () => {
  const version = await runProgram('--version');
  expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  const help = await runProgram('--help');
  expect(help.code).toBe(0);
  for (const command of COMMANDS) expect(help.stdout).toContain(`\n  ${command}`);
  const bare = await runProgram();
  expect([bare.code, bare.stdout]).toEqual([2, '']);
  expect(bare.stderr).toMatch(/^Usage: counterfoil /);
});

test('counterfoil help COMMAND is counterfoil COMMAND --help', async () => {
  const [asked, flag] = await Promise.all([
    runProgram('help', 'keygen'),
    runProgram('keygen', '--help'),
  ]);
  expect([asked.code, asked.stdout]).toEqual([0, flag.stdout]);
});

test('a reader of the output may end early, as head does', async () => {
  const { code, stderr } = await runUnread('--help');
  expect([code, stderr]).toEqual([0, '']);
});
