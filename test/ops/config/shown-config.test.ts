import path from 'node:path';
import { expect, test } from 'vitest';
import { shownConfig } from '../../../src/ops/config/shown-config.ts';
import { configFolder, MINIMAL, SHA256, TOKEN } from './config-folder.ts';

const { folder, configOf } = configFolder();

const FULL = {
  ...MINIMAL,
  custody: {
    baseUrl: 'https://custody.example.com',
    clientId: 'client-1',
    privateKeyFile: 'keys/custody.pem',
    webhookUrl: `https://hooks.example.com/hooks/${TOKEN}`,
    vaults: 'all',
  },
  api: { tokens: [{ name: 'olga', role: 'operator', sha256: SHA256 }] },
};

test('every setting is shown with its default, and no secret is', () => {
  const shown = shownConfig(configOf(FULL));
  const values = Object.fromEntries(shown.map(({ key, value }) => [key, value]));
  expect(values).toMatchObject({
    'api.tokens': '["olga (operator)"]',
    'custody.baseUrl': '"https://custody.example.com"',
    'custody.webhookUrl': 'set, not shown',
    'intake.pathTokens': '1 set, not shown',
    'reconcile.close': '"5 0 * * *"',
    'reconcile.graceSeconds': '600',
    'store.path': JSON.stringify(path.join(folder, 'books.db')),
  });
  const text = JSON.stringify(shown);
  for (const secret of [TOKEN, SHA256]) expect(text).not.toContain(secret);
});

test('a shared store shows neither its address nor the receivers’ secret', () => {
  const shown = shownConfig(
    configOf({
      ...MINIMAL,
      store: 'postgres://books:hunter2-hunter2@db.example.com/books',
      receiver: {
        name: 'one',
        url: 'http://10.0.0.1:8080',
        secret: 's'.repeat(40),
        replica: 'replica.db',
      },
    }),
  );
  const text = JSON.stringify(shown);
  for (const secret of ['hunter2-hunter2', 's'.repeat(40)]) expect(text).not.toContain(secret);
  expect(shown.find(({ key }) => key === 'store.kind')?.value).toBe('"postgres"');
});

test('the policy and exemption rules are left out: people change them elsewhere', () => {
  const keys = shownConfig(configOf(FULL)).map(({ key }) => key);
  expect(keys.filter((key) => /crediting|exemptions/.test(key))).toEqual([]);
});
