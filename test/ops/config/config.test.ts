import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ruleFor } from '../../../src/domain/policy/policy.ts';
import { AssetId, NetworkKey } from '../../../src/domain/ids.ts';
import { CUSTODY, STORE, WHOLE, type Parsed } from '../../../src/ops/config/config.ts';
import { loadConfig } from '../../../src/ops/config/reading/config-file.ts';
import { problemText } from '../../../src/ops/config/reading/problem.ts';
import { configFolder, keyFlaw, MINIMAL, SHA256, TOKEN } from './config-folder.ts';

const { folder, file, configOf } = configFolder();
const PIN = `sha256:${SHA256}`;

test('an absent key has its default', () => {
  expect(configOf(MINIMAL)).toEqual({
    listen: { host: '127.0.0.1', port: 8080, proxyProtocol: false },
    store: { kind: 'sqlite', path: path.join(folder, 'books.db') },
    intake: {
      pathTokens: [TOKEN],
      maxBodyBytes: 1_048_576,
      queueMax: 8_192,
      batchMax: 256,
      malformedPerHourMax: 100,
    },
    crediting: { default: { confirmations: 6 }, networks: {}, assets: {} },
    reconcile: {
      sweep: '* * * * *',
      close: '5 0 * * *',
      timezone: 'UTC',
      graceSeconds: 600,
      exemptions: [],
      stale: { depositSeconds: 21_600, withdrawalSeconds: 86_400 },
      escalation: { infoToWarningAfterSeconds: 604_800, warningToCriticalAfterSeconds: 86_400 },
    },
    api: { tokens: [] },
    console: { public: false, idleMinutes: 30 },
    log: { level: 'info' },
  });
});

test('a full configuration is read unchanged, with paths from its folder', () => {
  const config = configOf({
    ...MINIMAL,
    listen: {
      host: '::',
      port: 0,
      tls: { certFile: 'tls.crt', keyFile: 'tls.key' },
    },
    intake: {
      pathTokens: [TOKEN],
      clientCertificate: { form: 'escaped-pem', header: 'X-Client-Cert', pins: [PIN] },
    },
    custody: {
      baseUrl: 'https://custody.example/',
      clientId: 'c-1',
      privateKeyFile: 'keys/custody.pem',
      webhookUrl: `https://hooks.example/hooks/${TOKEN}`,
      vaults: ['v-1', 'v-2'],
      paths: { addressTransactions: '/x/{addressId}/y' },
    },
    api: { tokens: [{ name: 'desk', role: 'crediting', sha256: SHA256.toUpperCase() }] },
  });
  const key = path.join(folder, 'keys', 'custody.pem');
  expect(config.listen.tls).toEqual({
    certFile: path.join(folder, 'tls.crt'),
    keyFile: path.join(folder, 'tls.key'),
  });
  expect(config.intake.clientCertificate).toEqual({
    form: 'escaped-pem',
    header: 'x-client-cert',
    from: ['127.0.0.1', '::1', 'unix'],
    pins: [PIN],
  });
  expect(config.custody).toMatchObject({ privateKeyFile: key, vaults: ['v-1', 'v-2'] });
  expect(config.api.tokens[0]?.sha256).toBe(SHA256);
});

test('the crediting policy is one that the domain can ask, with exact amounts', () => {
  const digits = '9'.repeat(78);
  const { crediting } = configOf({
    ...MINIMAL,
    crediting: {
      default: { confirmations: 6, oneApprovalAbove: '10' },
      networks: { ethereum: { confirmations: 12 } },
      assets: { 'ethereum:ETH': { minimumAmount: digits, oneApprovalAbove: null } },
    },
  });
  const subject = { network: NetworkKey('ethereum'), asset: AssetId('ethereum:ETH') };
  expect(ruleFor(crediting, subject)).toMatchObject({
    confirmations: 12,
    minimumAmount: BigInt(digits),
    oneApprovalAbove: null,
  });
});

test('a byte order mark, which some editors put first, is no mistake', () => {
  expect(configOf(`\u{feff}${JSON.stringify(MINIMAL)}`).log.level).toBe('info');
});

test('the configuration that is shipped is valid once its variables are set', () => {
  const loaded = loadConfig({
    file: 'config/default.json',
    env: {
      COUNTERFOIL_DATA: '/data',
      COUNTERFOIL_PATH_TOKEN: TOKEN,
      COUNTERFOIL_WEBHOOK_URL: `https://hooks.example/hooks/${TOKEN}`,
      COUNTERFOIL_ADMIN_TOKEN_SHA256: SHA256,
      CUSTODY_BASE_URL: 'https://custody.example',
      CUSTODY_CLIENT_ID: 'c-1',
      CUSTODY_PRIVATE_KEY_FILE: path.join(folder, 'keys', 'custody.pem'),
    },
    part: WHOLE,
    keyFlaw,
  });
  expect(loaded.kind === 'ok' ? '' : problemText(loaded.problems)).toBe('');
});

test("the example of a receiver's configuration is valid once its variables are set", () => {
  const loaded = loadConfig({
    file: 'config/receivers/receiver.json',
    env: {
      DATABASE_PASSWORD: 'open-sesame',
      RECEIVER_SECRET: TOKEN,
      PATH_TOKEN: TOKEN,
      CUSTODY_PIN: `sha256:${SHA256}`,
      OPERATOR_SHA256: SHA256,
    },
    part: WHOLE,
    keyFlaw,
  });
  expect(loaded.kind === 'ok' ? '' : problemText(loaded.problems)).toBe('');
});

test('a part is read without what only other parts need, and checked as in the whole', () => {
  const custody = {
    baseUrl: 'https://custody.example',
    clientId: '${NONE}',
    privateKeyFile: 'keys/custody.pem',
    webhookUrl: 'https://hooks.example/hooks/t',
    vaults: 'all',
  };
  const json = { storeFile: 'nowhere', intake: { pathTokensFile: 'nowhere' }, custody, odd: 1 };
  writeFileSync(file, JSON.stringify(json));
  const keysOf = (parsed: Parsed<unknown>): string[] =>
    parsed.kind === 'ok' ? [] : parsed.problems.map(({ where }) => where);
  expect(keysOf(loadConfig({ file, env: {}, part: STORE, keyFlaw }))).toEqual(['storeFile']);
  expect(keysOf(loadConfig({ file, env: {}, part: CUSTODY, keyFlaw }))).toEqual([
    'custody.clientId',
  ]);
  writeFileSync(file, JSON.stringify({ ...json, storeFile: 'store' }));
  writeFileSync(path.join(folder, 'store'), 'sqlite:books.db');
  expect(loadConfig({ file, env: {}, part: STORE, keyFlaw })).toEqual({
    kind: 'ok',
    config: { store: { kind: 'sqlite', path: path.join(folder, 'books.db') } },
    secretFiles: [{ where: 'storeFile', file: path.join(folder, 'store') }],
  });
  for (const misspelt of ['{"stroe":"sqlite:x"}', '[]', 'null']) {
    writeFileSync(file, misspelt);
    expect(loadConfig({ file, env: {}, part: STORE, keyFlaw })).toMatchObject({ kind: 'invalid' });
  }
});
