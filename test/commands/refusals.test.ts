import { readdirSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { doctorCommand } from '../../src/commands/doctor.ts';
import { tokenOf } from '../../src/commands/link/token.ts';
import { initCommand } from '../../src/commands/store/init.ts';
import { storeFrom } from '../../src/commands/store/store-path.ts';
import type { Terminal } from '../../src/daemon/process/terminal.ts';
import { callProgram } from '../e2e/called-program.ts';
import { usageFolder } from '../e2e/commands/usage-folder.ts';
import { temporaryPath } from '../store/open-ledger.ts';

const SILENT: Terminal = {
  result: () => undefined,
  note: () => undefined,
  exitWith: () => undefined,
  signals: process,
};

function init(...flags: string[]): Promise<Command> {
  return initCommand(SILENT, {}).parseAsync(flags, { from: 'user' });
}

test.for(['sqlite:x.db', 'x.db', 'data/x.db'])('init --store %s is not needed', async (store) => {
  await expect(init('--store', store)).rejects.toMatchObject({
    message:
      'a store in a SQLite file needs no init: `counterfoil serve` makes the file at its first start. For a shared journal, give --store postgres://…',
    exitCode: 2,
  });
});

test('init refuses an address that is not of PostgreSQL as bad usage', async () => {
  await expect(init('--store', 'mysql://u@h/d')).rejects.toMatchObject({
    message:
      "the store's address is not of the form postgres://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE[?sslmode=verify-full&…]; write @ of a password as %40, and / ? # as %2F %3F %23",
    exitCode: 2,
  });
});

test('a password file that does not exist is bad usage, and the message says what to check', async () => {
  const flags = ['--store', 'postgres://a@127.0.0.1:1/b', '--password-file', '/nowhere/nope'];
  await expect(init(...flags)).rejects.toMatchObject({
    message: '--password-file: /nowhere/nope does not exist; check the path',
    exitCode: 2,
  });
});

test('a token file that does not exist is bad usage, and the message says what to check', () => {
  expect(() => tokenOf({ tokenFile: '/nowhere/nope' }, {})).toThrow(
    expect.objectContaining({
      message: '--token-file: /nowhere/nope does not exist; check the path',
      exitCode: 2,
    }) as Error,
  );
});

test.for([
  'http://hooks.example.com/hooks/the-path-token',
  'hooks.example.com/hooks/the-path-token',
])('doctor --proxy %s is refused without a word of its token', async (url) => {
  const command = doctorCommand(SILENT, {}).parseAsync(['--proxy', url], { from: 'user' });
  await expect(command).rejects.toMatchObject({
    message: '--proxy needs an https address, such as https://hooks.example.com',
    exitCode: 2,
  });
});

test('a store that is not there is bad usage, and the message says where its name comes from', () => {
  const config = temporaryPath();
  writeFileSync(config, JSON.stringify({ store: 'sqlite:/nowhere/x.db' }));
  const refused = '/nowhere/x.db does not exist: ';
  expect(() => storeFrom({ config }, {})).toThrow(`${refused}${config} names it; the daemon`);
  expect(() => storeFrom({ store: '/nowhere/x.db' }, {})).toThrow(
    `${refused}check the path of the store's file`,
  );
});

test('a folder named as the store is bad usage, as a folder named as the configuration is', () => {
  const folder = usageFolder();
  const config = temporaryPath();
  writeFileSync(config, JSON.stringify({ store: `sqlite:${folder}` }));
  const refused = expect.objectContaining({
    message: `${folder} is a folder: name the file in it`,
    exitCode: 2,
  }) as Error;
  expect(() => storeFrom({ store: folder }, {})).toThrow(refused);
  expect(() => storeFrom({ config }, {})).toThrow(refused);
});

test.each(['verify', 'rebuild', 'report'])('%s of a folder is bad usage', async (command) => {
  const folder = usageFolder();
  const { code, stderr } = await callProgram(command, '--store', folder);
  expect([code, stderr]).toEqual([2, `counterfoil: ${folder} is a folder: name the file in it\n`]);
});

test('a restore from a folder, and a copy from a folder or from nothing, are bad usage', async () => {
  const folder = usageFolder();
  const journal = 'postgres://a@127.0.0.1:1/b';
  const isFolder = `counterfoil: ${folder} is a folder: name the file in it\n`;
  const isMissing = `counterfoil: ${folder}/no.db does not exist: check the path of the store's file\n`;
  expect(await callProgram('restore', '--from', folder, '--store', `${folder}/new.db`)).toEqual({
    code: 2,
    stdout: '',
    stderr: isFolder,
  });
  for (const [from, stderr] of [
    [folder, isFolder],
    [`${folder}/no.db`, isMissing],
  ] as const) {
    expect(await callProgram('copy', '--from', `sqlite:${from}`, '--to', journal)).toEqual({
      code: 2,
      stdout: '',
      stderr,
    });
  }
  expect(readdirSync(folder)).toEqual([]);
});
