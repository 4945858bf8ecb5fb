import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Attached } from '../attached.ts';
import { runProgram } from '../program.ts';

test('subscribe says what it found before it subscribed a vault again', async () => {
  const { daemon } = await Attached.start();
  const { custody } = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as {
    custody: { webhookUrl: string };
  };
  const path = join(daemon.folder, 'moved.json');
  const webhookUrl = `${custody.webhookUrl}-moved`;
  const config = { store: 'sqlite:none.db', custody: { ...custody, webhookUrl } };
  const crediting = { default: { confirmations: 6 } };
  writeFileSync(path, JSON.stringify({ ...config, crediting }));
  const first = await runProgram('subscribe', '--config', path);
  expect([first.code, first.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^subscribed +\S+: all three streams come to us now; found before: it delivers to another URL than custody\.webhookUrl$/m,
    ),
  ]);
  const again = await runProgram('subscribe', '--config', path);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('as wanted')]);
});

test('subscribe warns about a webhook URL whose token the daemon does not take', async () => {
  const { daemon } = await Attached.start();
  const sound = await runProgram('subscribe', '--check', '--config', daemon.configPath);
  expect([sound.code, sound.stderr]).toEqual([0, '']);
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as {
    custody: { webhookUrl: string };
  };
  config.custody.webhookUrl += '-mistyped';
  const path = join(daemon.folder, 'mistyped.json');
  writeFileSync(path, JSON.stringify(config));
  const subscribed = await runProgram('subscribe', '--config', path);
  expect([subscribed.code, subscribed.stderr]).toEqual([
    0,
    'warning: custody.webhookUrl does not end with /hooks/ and one of intake.pathTokens, so the daemon answers 404 to every webhook. Unless your proxy rewrites the path, correct custody.webhookUrl, then run `counterfoil subscribe`\n',
  ]);
});
