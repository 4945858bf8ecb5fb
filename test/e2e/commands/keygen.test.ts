import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callProgram } from '../called-program.ts';
import { runProgram } from '../program.ts';

test('keygen --token --out writes a token for its user alone, and never over another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-keygen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const out = join(folder, 'ana');
  const { code, stdout } = await runProgram('keygen', '--token', '--out', out);
  expect(code).toBe(0);
  const token = read('ana.token');
  expect(token).toMatch(/^[\w-]{43}\n$/);
  expect(stdout).not.toContain(token.trim());
  expect(statSync(join(folder, 'ana.token')).mode & 0o777).toBe(0o600);
  expect(read('ana.sha256')).toMatch(/^[0-9a-f]{64}\n$/);
  const again = await runProgram('keygen', '--token', '--out', out);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('not overwritten')]);
  expect(read('ana.token')).toBe(token);
  const ben = join(folder, 'ben');
  const json = await runProgram('keygen', '--token', '--out', ben, '--json');
  expect(JSON.parse(json.stdout)).toEqual({
    tokenFile: `${ben}.token`,
    sha256File: `${ben}.sha256`,
  });
});

test('keygen --token says which secret needs which line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-keygen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, 'hooks');
  const forToken = '(secret: for intake.pathTokens, receiver.secret, or the user of an API token)';
  const forTokenFile =
    '(secret: for intake.pathTokensFile, receiver.secretFile, or the user of an API token)';
  const needsNoSha256 = 'a path token and a receiver.secret do not need it)';
  const printed = await callProgram('keygen', '--token');
  expect(printed.stdout.replace(/\b(?:[0-9a-f]{64}|[\w-]{43})(?= )/g, '…').split('\n')).toEqual([
    `token   …  ${forToken}`,
    `sha256  …  (for api.tokens[].sha256 alone; ${needsNoSha256}`,
    '',
  ]);
  const written = await callProgram('keygen', '--token', '--out', out);
  expect(written.stdout.split('\n')).toEqual([
    `token   ${out}.token  ${forTokenFile}`,
    `sha256  ${out}.sha256  (for api.tokens[].sha256File alone; ${needsNoSha256}`,
    '',
  ]);
});

test.for([
  [['--token'], 'token', 'sha256'],
  [[], 'key', 'pub'],
] as const)('keygen %j leaves no .%s beside an older .%s', async ([flags, secret, open]) => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-keygen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, `ana.${open}`), 'of an older pair');
  const { code, stderr } = await runProgram('keygen', ...flags, '--out', join(folder, 'ana'));
  expect([code, stderr]).toEqual([1, expect.stringContaining(`ana.${open} exists already`)]);
  expect(existsSync(join(folder, `ana.${secret}`))).toBe(false);
  expect(readFileSync(join(folder, `ana.${open}`), 'utf8')).toBe('of an older pair');
});

test.for([
  ['missing/ana', 'make its folder first'],
  ['a-file/ana', 'its folder is a file'],
] as const)('keygen --out %s: exit code 1, and what to do', async ([out, remedy]) => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-keygen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a-file'), '');
  const { code, stderr } = await runProgram('keygen', '--token', '--out', join(folder, out));
  expect([code, stderr]).toEqual([1, expect.stringContaining(remedy)]);
});
