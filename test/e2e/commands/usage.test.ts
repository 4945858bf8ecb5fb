import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { MAIN, runProgram, runUnread } from '../program.ts';
import { usageFolder } from './usage-folder.ts';

const COMMANDS = [
  'demo',
  'serve',
  'core',
  'reconcile',
  'report',
  'check-report',
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
  [['verify', '--store', tmpdir()], 2],
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
  const folder = usageFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  const { code, stderr } = await callProgram('serve', '--config', file);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a port that is taken: exit 1 at once, and no store is made', async () => {
  const daemon = await Daemon.start();
  const second = new Daemon({ port: Number(new URL(daemon.url).port) });
  onTestFinished(() => second.remove());
  const before = readdirSync(second.folder);
  const { code, stderr } = await runProgram('serve', '--config', second.configPath);
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot listen on .*change listen\.port/);
  expect(readdirSync(second.folder)).toEqual(before);
});

test.each([
  ['doctor', "the authority that issued the proxy's certificate"],
  ['reconcile', "the authority that issued the daemon's certificate"],
] as const)('counterfoil %s --help names the server of --ca', async (command, text) => {
  const { stdout } = await callProgram(command, '--help');
  expect(stdout.replace(/\s+/g, ' ')).toContain(text);
});

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
