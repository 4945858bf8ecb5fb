import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/file/database.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { MAIN, runProgram } from '../program.ts';
import { usageFolder } from './usage-folder.ts';

test('a file that is no store is a problem found, not bad usage', async () => {
  const folder = usageFolder();
  const file = join(folder, 'store.db');
  writeFileSync(file, 'this is a text file, long enough to be looked at as one '.repeat(20));
  const { code, stderr } = await runProgram('verify', '--store', file);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a store is named as in the configuration too, with `sqlite:` before its file', async () => {
  const folder = usageFolder();
  const file = join(folder, 'store.db');
  openForWriting(file).close();
  const { code, stdout } = await callProgram('verify', '--store', `sqlite:${file}`);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${file}: 0 facts`)]);
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

test.each([
  [['serve'], 1],
  // Its store is a file to read.
  [['rebuild'], 2],
  [['restore', '--from'], 1],
] as const)(
  '%j: a folder at the path of the store is refused with exit %d, and no file is left beside it',
  async ([command, ...from], exitCode) => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    const backup = join(daemon.folder, 'backup.db');
    openForWriting(backup).close();
    mkdirSync(daemon.storePath);
    const args = [command, ...from.flatMap((option) => [option, backup])];
    const { code, stderr } = await callProgram(...args, '--config', daemon.configPath);
    expect([code, stderr]).toEqual([
      exitCode,
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
