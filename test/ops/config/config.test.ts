import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ruleFor } from '../../../src/domain/deposit/policy.ts';
import { AssetId, NetworkKey } from '../../../src/domain/ids.ts';
import { CUSTODY, STORE, WHOLE, type Config, type Parsed } from '../../../src/ops/config/config.ts';
import { loadConfig, type Loaded } from '../../../src/ops/config/config-file.ts';
import { problemText } from '../../../src/ops/config/problem.ts';
import type { Environment } from '../../../src/ops/config/substitution.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../certificate.ts';

const TOKEN = 'a'.repeat(32);
const SHA256 = '0123456789abcdef'.repeat(4);
const MINIMAL = {
  store: 'sqlite:books.db',
  intake: { pathTokens: [TOKEN] },
  crediting: { default: { confirmations: 6 } },
};

const folder = mkdtempSync(path.join(tmpdir(), 'config-'));
const file = path.join(folder, 'config.json');
mkdirSync(path.join(folder, 'keys'));
writeFileSync(path.join(folder, 'keys', 'custody.pem'), 'a key');
writeFileSync(path.join(folder, 'keys', 'empty.pem'), '');
writeFileSync(path.join(folder, 'tls.crt'), CERTIFICATE);
writeFileSync(path.join(folder, 'tls.key'), CERTIFICATE_KEY);
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
writeFileSync(path.join(folder, 'other.key'), other.export({ type: 'pkcs8', format: 'pem' }));
writeFileSync(path.join(folder, 'tokens'), `# rotated\n${TOKEN}\r\n\n${'b'.repeat(40)}\n`);
writeFileSync(path.join(folder, 'sha'), `${SHA256}\n`);
writeFileSync(path.join(folder, 'url'), `https://hooks.example.com/hooks/${TOKEN}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

/** Of these files only the empty ones are no keys. */
const keyFlaw = (pem: string): string | null => (pem === '' ? 'not a key' : null);

function load(json: unknown, env: Environment = {}): Loaded<Config> {
  writeFileSync(file, typeof json === 'string' ? json : JSON.stringify(json));
  return loadConfig({ file, env, part: WHOLE, keyFlaw });
}

function configOf(json: unknown, env: Environment = {}): Config {
  const loaded = load(json, env);
  if (loaded.kind === 'ok') return loaded.config;
  throw new Error(problemText(loaded.problems));
}

/** The problems as the lines that a terminal shows. */
function problemsOf(json: unknown, env: Environment = {}): string[] {
  const loaded = load(json, env);
  return loaded.kind === 'ok' ? [] : loaded.problems.map(({ where, what }) => `${where}: ${what}`);
}

test('what is not given has its default', () => {
  expect(configOf(MINIMAL)).toEqual({
    listen: { host: '127.0.0.1', port: 8080 },
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

test('a full configuration is taken as it stands, paths from its folder', () => {
  const config = configOf({
    ...MINIMAL,
    listen: {
      host: '::',
      port: 0,
      tls: { certFile: 'tls.crt', keyFile: 'tls.key' },
    },
    intake: {
      pathTokens: [TOKEN],
      clientCertificate: { header: 'X-Client-Fingerprint', allow: ['ab:cd'] },
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
  expect(config.intake.clientCertificate?.header).toBe('x-client-fingerprint');
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

test('variables are filled in inside strings, a port too, and $${ stays a literal ${', () => {
  const config = configOf(
    {
      ...MINIMAL,
      listen: { host: '${HOST}', port: '${PORT}' },
      store: 'sqlite:/data/${NAME}-$${NAME}.db',
    },
    { HOST: '0.0.0.0', PORT: '9000', NAME: 'books' },
  );
  expect(config.listen).toEqual({ host: '0.0.0.0', port: 9000 });
  expect(config.store).toEqual({ kind: 'sqlite', path: '/data/books-${NAME}.db' });
});

test('what a variable holds is not looked into for variables', () => {
  const config = configOf({ ...MINIMAL, store: 'sqlite:/${A}' }, { A: '${B}', B: 'no' });
  expect(config.store).toEqual({ kind: 'sqlite', path: '/${B}' });
});

test('a missing variable is named with its place, and not told again as a bad value', () => {
  const intake = { pathTokens: ['${TOKEN}', '${EMPTY}', '${not a name}'] };
  expect(problemsOf({ ...MINIMAL, intake }, { EMPTY: '' })).toEqual([
    'intake.pathTokens[0]: the environment variable TOKEN is not set; set it, or write the value in its place',
    'intake.pathTokens[1]: the environment variable EMPTY is empty; set it, or write the value in its place',
    'intake.pathTokens[2]: ${not a name} is not the name of an environment variable; write $${ for a literal ${',
  ]);
});

test('a secret can come from a file', () => {
  const config = configOf({
    ...MINIMAL,
    intake: { pathTokensFile: 'tokens' },
    api: { tokens: [{ name: 'a', role: 'admin', sha256File: 'sha' }] },
  });
  expect(config.intake.pathTokens).toEqual([TOKEN, 'b'.repeat(40)]);
  expect(config.api.tokens[0]?.sha256).toBe(SHA256);
});

test('the webhook URL, which holds a path token, can come from a file', () => {
  const custody = {
    baseUrl: 'https://custody.example/',
    clientId: 'client',
    privateKeyFile: 'keys/custody.pem',
    webhookUrlFile: 'url',
    vaults: 'all',
  };
  const config = configOf({ ...MINIMAL, custody });
  expect(config.custody?.webhookUrl).toBe(`https://hooks.example.com/hooks/${TOKEN}`);
});

test('files that hold a secret are told, and those that hold none are not', () => {
  const key = 'keys/custody.pem';
  const loaded = load(
    {
      ...MINIMAL,
      listen: { tls: { certFile: 'tls.crt', keyFile: 'tls.key', caFile: 'tls.crt' } },
      intake: { pathTokensFile: 'tokens' },
      custody: {
        baseUrl: 'https://custody.example/',
        clientId: 'client',
        privateKeyFile: '${KEYS}/custody.pem',
        webhookUrlFile: 'url',
        vaults: 'all',
      },
      api: { tokens: [{ name: 'a', role: 'admin', sha256File: 'sha' }] },
    },
    { KEYS: path.join(folder, 'keys') },
  );
  expect(loaded).toMatchObject({
    kind: 'ok',
    secretFiles: [
      { where: 'intake.pathTokensFile', file: path.join(folder, 'tokens') },
      { where: 'listen.tls.keyFile', file: path.join(folder, 'tls.key') },
      { where: 'custody.privateKeyFile', file: path.join(folder, key) },
      { where: 'custody.webhookUrlFile', file: path.join(folder, 'url') },
    ],
  });
});

test('a secret given twice, or in a file that cannot be read, is refused', () => {
  expect(
    problemsOf({
      ...MINIMAL,
      intake: { pathTokens: [TOKEN], pathTokensFile: 'tokens' },
      api: { tokens: [{ name: 'a', role: 'admin', sha256File: 'nowhere' }] },
    }),
  ).toEqual([
    'intake.pathTokensFile: pathTokens is also given; keep one',
    `api.tokens[0].sha256File: cannot read ${folder}/nowhere (ENOENT); check the path and its permissions`,
  ]);
});

test('what came from a file and is no good is told with the key that names the file', () => {
  expect(
    problemsOf({
      storeFile: 'sha',
      intake: { pathTokensFile: 'url' },
      crediting: MINIMAL.crediting,
      api: { tokens: [{ name: 'a', role: 'admin', sha256File: 'url' }] },
    }),
  ).toEqual([
    'storeFile: must be "sqlite:PATH"',
    'intake.pathTokensFile[0]: must be 32 to 256 letters, digits or ._~- ; `openssl rand -hex 32` makes one',
    'api.tokens[0].sha256File: must be the SHA-256 of the token, 64 hexadecimal digits',
  ]);
});

test('a key given twice in one object is refused, of which JSON would take the last', () => {
  const networks = '{"ethereum":{"halted":true},"a\\"b":{},"\\u0065thereum":{}}';
  const text = `{"store":"sqlite:a","intake":{"pathTokens":["${TOKEN}"]},
    "crediting":{"default":{"confirmations":6,"halted":true},"networks":${networks}},
    "api":{"tokens":[{"name":"{,","role":"admin","sha256":"${SHA256}"},
      {"name":"b","name":"c","role":"viewer","sha256":"${'0'.repeat(64)}"}]},"store":"sqlite:b"}`;
  const twice = 'occurs twice in this object; keep one';
  expect(problemsOf(text)).toEqual([
    `crediting.networks.ethereum: ${twice}`,
    `api.tokens[1].name: ${twice}`,
    `store: ${twice}`,
  ]);
  const stored = loadConfig({ file, env: {}, part: STORE, keyFlaw });
  expect(stored.kind === 'invalid' && stored.problems.map(({ where }) => where)).toEqual(['store']);
});

test('a byte order mark, which some editors put first, is no mistake', () => {
  expect(configOf(`\u{feff}${JSON.stringify(MINIMAL)}`).log.level).toBe('info');
});

test('a pattern that comes round on no day is refused', () => {
  expect(
    problemsOf({ ...MINIMAL, reconcile: { sweep: '0 0 30 2 *', close: '5 0 31 4,6 *' } }),
  ).toEqual([
    'reconcile.sweep: must be a cron pattern, e.g. "* * * * *" for every minute, that matches a real time',
    'reconcile.close: must be a cron pattern, e.g. "* * * * *" for every minute, that matches a real time',
  ]);
});

test('a list of no vaults is refused in words', () => {
  const custody = {
    baseUrl: 'https://x.example',
    clientId: 'c',
    privateKeyFile: 'keys/custody.pem',
    webhookUrl: 'https://x.example',
    vaults: [],
  };
  expect(problemsOf({ ...MINIMAL, custody })).toEqual([
    'custody.vaults: must be "all" or a list of vault ids',
  ]);
});

test('a key that can come from a file is told with that among the keys', () => {
  expect(problemsOf({ ...MINIMAL, intake: { pathTokens: [TOKEN], tokenFile: 'x' } })).toEqual([
    'intake: unknown key "tokenFile"; the keys here are pathTokens or pathTokensFile, maxBodyBytes, queueMax, batchMax, malformedPerHourMax, clientCertificate',
  ]);
});

test('all problems are told at once, each with its place and what to do', () => {
  expect(
    problemsOf({
      listen: { port: 70_000, prot: 1 },
      store: 'mysql://x',
      intake: { pathTokens: ['short'], queueMax: 0 },
      custody: {
        baseUrl: 'ftp://x',
        clientId: '',
        privateKeyFile: 'keys/none.pem',
        webhookUrl: 'https://user:pass@x.example/',
        vaults: 'some',
        paths: { addressTransactions: '/addresses' },
      },
      crediting: {
        default: { confirmations: -1, minimumAmount: 5, oneApprovalAbove: '1.5' },
        networks: { ethereum: { depth: 3 } },
        assets: { 'ethereum:ETH': { oneApprovalAbove: '10', twoApprovalsAbove: '9' } },
      },
      reconcile: { sweep: 'often', timezone: 'Mars/Base', graceSeconds: -1 },
      api: { tokens: [{ name: 'a', role: 'boss', sha256: 'x' }] },
      console: { public: 'yes' },
      log: { level: 'loud' },
      extra: true,
    }),
  ).toEqual([
    'listen.port: must be an integer from 0 to 65535',
    'listen: unknown key "prot"; the keys here are host, port, tls',
    'store: must be "sqlite:PATH"',
    'intake.pathTokens[0]: must be 32 to 256 letters, digits or ._~- ; `openssl rand -hex 32` makes one',
    'intake.queueMax: must be an integer from 1 to 1000000',
    'custody.baseUrl: must be an http or https address',
    'custody.clientId: must not be empty',
    `custody.privateKeyFile: cannot read ${folder}/keys/none.pem (ENOENT); check the path and its permissions`,
    'custody.webhookUrl: must not hold credentials, a query or a fragment',
    'custody.vaults: must be "all" or a list of vault ids',
    'custody.paths.addressTransactions: must be a path relative to /api/v1 that holds {addressId}, e.g. /addresses/{addressId}/blockchain-transactions',
    'crediting.default.confirmations: must not be negative',
    'crediting.default.minimumAmount: must be a string of digits, in the smallest unit of the asset',
    'crediting.default.oneApprovalAbove: must be a non-negative integer in the smallest unit, at most 78 digits',
    'crediting.networks.ethereum: unknown key "depth"; the keys here are confirmations, minimumAmount, oneApprovalAbove, twoApprovalsAbove, requireMemo, halted, creditInternal',
    'crediting.assets["ethereum:ETH"].twoApprovalsAbove: must not be below oneApprovalAbove of the same rule',
    'reconcile.sweep: must be a cron pattern, e.g. "* * * * *" for every minute, that matches a real time',
    'reconcile.timezone: must be a time zone of the IANA database, e.g. "UTC" or "Europe/Zurich"',
    'reconcile.graceSeconds: must be an integer from 0 to 604800',
    'api.tokens[0].role: must be one of viewer, crediting, operator, admin',
    'api.tokens[0].sha256: must be the SHA-256 of the token, 64 hexadecimal digits',
    'console.public: must be a boolean, not a string',
    'log.level: must be one of trace, debug, info, warn, error, fatal, silent',
    'the configuration: unknown key "extra"; the keys here are listen, store or storeFile, intake, custody, crediting, reconcile, api, console, log',
  ]);
});

test('what is missing is named', () => {
  expect(problemsOf({})).toEqual([
    'store: must be "sqlite:PATH"',
    'intake: is missing; it must be an object',
    'crediting: is missing; it must be an object',
  ]);
  expect(problemsOf({ ...MINIMAL, crediting: { default: {} } })).toEqual([
    'crediting.default.confirmations: is missing; it must be a number',
  ]);
});

test('two people cannot share a name or a token', () => {
  const tokens = [
    { name: 'a', role: 'admin', sha256: SHA256 },
    { name: 'a', role: 'viewer', sha256: SHA256 },
  ];
  expect(problemsOf({ ...MINIMAL, api: { tokens } })).toEqual([
    'api.tokens: contains the same name twice',
    'api.tokens: contains the same token twice',
  ]);
});

test('no problem quotes a value, which may be a secret', () => {
  const secret = 'hunter2-hunter2';
  const said = [
    ...problemsOf({
      store: secret,
      intake: { pathTokens: [secret], pathTokensFile: 7 },
      custody: { baseUrl: secret, clientId: 1, webhookUrl: secret },
      crediting: { default: { confirmations: secret } },
      api: { tokens: [{ name: 'a', role: secret, sha256: secret }] },
    }),
    ...problemsOf(`{"intake": ${secret}}`),
    ...problemsOf(`{"intake": "${secret}" "x"}`),
  ];
  expect(said.length).toBeGreaterThan(8);
  expect(said.join('\n')).not.toContain(secret);
});

test('a file that is not there, or not JSON, is one clear problem', () => {
  expect(
    loadConfig({ file: path.join(folder, 'nowhere.json'), env: {}, part: WHOLE, keyFlaw }),
  ).toMatchObject({
    kind: 'invalid',
    problems: [
      {
        what: `cannot read ${folder}/nowhere.json (ENOENT); give another one with --config`,
      },
    ],
  });
  expect(problemsOf('{\n  "a": 1,\n  "b" 2\n}')).toEqual([
    `the configuration: ${file} is not JSON: a mistake at line 3, column 7`,
  ]);
});

test('files that hold something else than they should are told with all other problems', () => {
  const custody = {
    baseUrl: 'https://custody.example',
    clientId: '',
    privateKeyFile: 'keys/empty.pem',
    webhookUrl: 'https://hooks.example/hooks/t',
    vaults: 'all',
  };
  const problems = (tls: object, store: string): string[] =>
    problemsOf({ ...MINIMAL, listen: { port: -1, tls }, store, custody });
  const port = 'listen.port: must be an integer from 0 to 65535';
  const others = [
    'custody.clientId: must not be empty',
    `custody.privateKeyFile: ${folder}/keys/empty.pem is not a key: make a key with \`counterfoil keygen --out custody\``,
  ];
  const none = 'keys/empty.pem';
  expect(
    problems({ certFile: none, keyFile: 'tls.crt', caFile: none }, 'postgres://u:p@h/db'),
  ).toEqual([
    port,
    `listen.tls.certFile: ${folder}/keys/empty.pem is not a certificate in PEM`,
    `listen.tls.keyFile: ${folder}/tls.crt is not an unencrypted private key in PEM`,
    `listen.tls.caFile: ${folder}/keys/empty.pem is not a certificate in PEM`,
    'store: postgres:// is not supported by this version: use "sqlite:PATH"',
    ...others,
  ]);
  expect(problems({ certFile: 'tls.crt', keyFile: 'nowhere' }, 'sqlite:x')).toEqual([
    port,
    `listen.tls.keyFile: cannot read ${folder}/nowhere (ENOENT); check the path and its permissions`,
    ...others,
  ]);
  expect(problems({ certFile: 'tls.crt', keyFile: 'other.key' }, 'sqlite:x')).toEqual([
    port,
    expect.stringMatching(/^listen\.tls: the key of keyFile does not fit certFile \(/),
    ...others,
  ]);
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
  const placesOf = (parsed: Parsed<unknown>): string[] =>
    parsed.kind === 'ok' ? [] : parsed.problems.map(({ where }) => where);
  expect(placesOf(loadConfig({ file, env: {}, part: STORE, keyFlaw }))).toEqual(['storeFile']);
  expect(placesOf(loadConfig({ file, env: {}, part: CUSTODY, keyFlaw }))).toEqual([
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
