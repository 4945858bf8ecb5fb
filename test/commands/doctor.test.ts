import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PEM } from '../custody/client-under-test.ts';
import { ScriptedService } from '../custody/scripted-service.ts';
import { usageFolder } from '../e2e/commands/usage-folder.ts';
import { callProgram } from '../e2e/called-program.ts';

const SOUND = {
  store: 'sqlite:store.db',
  listen: { port: 0 },
  intake: { pathTokens: ['a-path-token-of-at-least-32-characters'] },
  crediting: { default: { confirmations: 6 } },
  api: { tokens: [{ name: 'ana', role: 'operator', sha256: 'a'.repeat(64) }] },
};

async function linesOf(config: object): Promise<string[]> {
  const folder = usageFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  writeFileSync(join(folder, 'client.key'), PEM, { mode: 0o600 });
  const { stdout } = await callProgram('doctor', '--config', file);
  return stdout.trimEnd().split('\n');
}

async function lastLineOf(config: object): Promise<string | undefined> {
  return (await linesOf(config)).at(-1);
}

test('the last line of doctor counts problems and warnings, which are easy to miss above', async () => {
  expect(await lastLineOf(SOUND)).toBe('No problem, 2 warnings: read the lines above.');
  expect(await lastLineOf({ ...SOUND, store: 'sqlite:nowhere/store.db' })).toBe(
    '1 problem, 2 warnings: read the lines above.',
  );
});

test.for([
  [864_000_000, ['10 days behind']],
  [-7_200_000, ['2 hours ahead of']],
  [-300_000, ['5 minutes ahead of']],
  [30_000, []],
] as const)(
  'doctor compares the clock with an API that is %d ms ahead, also where the key is refused: %s',
  async ([aheadMs, said]) => {
    const service = await ScriptedService.start();
    onTestFinished(() => service.stop());
    service.answer(() => ({
      status: 401,
      headers: { date: new Date(Date.now() + aheadMs).toUTCString() },
    }));
    const custody = {
      baseUrl: service.baseUrl,
      clientId: 'client-7',
      privateKeyFile: 'client.key',
      webhookUrl: `https://hooks.example/hooks/${SOUND.intake.pathTokens[0]}`,
      vaults: 'all',
    };
    const warned = /^warning clock: this machine's clock is (.*) the custody API's: .*NTP$/;
    const lines = await linesOf({ ...SOUND, custody });
    expect(lines.flatMap((line) => warned.exec(line)?.[1] ?? [])).toEqual(said);
  },
);
