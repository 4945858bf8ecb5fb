import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usageFolder } from '../e2e/commands/usage-folder.ts';
import { callProgram } from '../e2e/called-program.ts';

const SOUND = {
  store: 'sqlite:store.db',
  listen: { port: 0 },
  intake: { pathTokens: ['a-path-token-of-at-least-32-characters'] },
  crediting: { default: { confirmations: 6 } },
  api: { tokens: [{ name: 'ana', role: 'operator', sha256: 'a'.repeat(64) }] },
};

async function lastLineOf(config: object): Promise<string | undefined> {
  const file = join(usageFolder(), 'config.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const { stdout } = await callProgram('doctor', '--config', file);
  return stdout.trimEnd().split('\n').at(-1);
}

test('the last line of doctor counts problems and warnings, which are easy to miss above', async () => {
  expect(await lastLineOf(SOUND)).toBe('No problem, 2 warnings: read the lines above.');
  expect(await lastLineOf({ ...SOUND, store: 'sqlite:nowhere/store.db' })).toBe(
    '1 problem, 2 warnings: read the lines above.',
  );
});
