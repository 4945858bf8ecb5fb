import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE, WHOLE } from '../../../src/ops/config/config.ts';
import { loadConfig } from '../../../src/ops/config/reading/config-file.ts';
import { configFolder, keyFlaw, MINIMAL, SHA256, TOKEN } from './config-folder.ts';

const { folder, file, problemsOf } = configFolder();

test('a key given twice in one object is refused, although JSON would take the last', () => {
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

test('the list of keys names the file variant of a secret key', () => {
  expect(problemsOf({ ...MINIMAL, intake: { pathTokens: [TOKEN], tokenFile: 'x' } })).toEqual([
    'intake: unknown key "tokenFile"; the keys here are pathTokens or pathTokensFile, maxBodyBytes, queueMax, batchMax, malformedPerHourMax, clientCertificate',
  ]);
});

test('all problems are reported together, each with its key and what to do', () => {
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
        vaults: [],
        startsAt: '2026-12-01',
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
    'listen: unknown key "prot"; the keys here are host, port, socket, tls, proxyProtocol',
    'store: must be "sqlite:PATH" or "postgres://USER@HOST[:PORT][,HOST…]/DATABASE"',
    'intake.pathTokens[0]: must be 32 to 256 letters, digits or ._~- ; `openssl rand -hex 32` makes one',
    'intake.queueMax: must be an integer from 1 to 1000000',
    'custody.baseUrl: must be an http or https address',
    'custody.clientId: must not be empty',
    `custody.privateKeyFile: ${folder}/keys/none.pem does not exist; check the path`,
    'custody.webhookUrl: must not hold credentials, a query or a fragment',
    'custody.vaults: must be "all" or a list of vault ids',
    'custody.paths.addressTransactions: must be a path relative to /api/v1 that holds {addressId}, e.g. /addresses/{addressId}/blockchain-transactions',
    'crediting.vaults: must name a vault; leave it out to credit every vault',
    'crediting.startsAt: must be a time with its zone, for example 2026-12-01T00:00:00Z',
    'crediting.default.confirmations: must not be negative',
    'crediting.default.minimumAmount: must be a string of digits, in the smallest unit of the asset',
    'crediting.default.oneApprovalAbove: must be a non-negative integer in the smallest unit, at most 78 digits',
    'crediting.networks.ethereum: unknown key "depth"; the keys here are confirmations, minimumAmount, oneApprovalAbove, twoApprovalsAbove, requireMemo, halted, creditInternal',
    'crediting.assets["ethereum:ETH"].twoApprovalsAbove: must not be below oneApprovalAbove of the same rule',
    'reconcile.sweep: must be a cron pattern, e.g. "* * * * *" for every minute, that matches a real time',
    'reconcile.timezone: must be a time zone of the IANA database, e.g. "UTC" or "Europe/Zurich"',
    'reconcile.graceSeconds: must be an integer from 0 to 604800',
    'api.tokens[0].role: must be one of viewer, crediting, finance, operator, admin, auditor',
    'api.tokens[0].sha256: must be the SHA-256 of the token, 64 hexadecimal digits',
    'console.public: must be a boolean, not a string',
    'log.level: must be one of trace, debug, info, warn, error, fatal, silent',
    'the configuration: unknown key "extra"; the keys here are listen, admin, store or storeFile, receiver, intake, custody, crediting, reconcile, api, console, log',
  ]);
});

test('a missing key is named', () => {
  expect(problemsOf({})).toEqual([
    'store: must be "sqlite:PATH" or "postgres://USER@HOST[:PORT][,HOST…]/DATABASE"',
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
    'api.tokens[1].name: is also the name of api.tokens[0]: give each token its own',
    'api.tokens[1].sha256: is also the sha256 of api.tokens[0]: give each token its own',
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
        what: `${folder}/nowhere.json does not exist; give another one with --config`,
      },
    ],
  });
});

test('a folder is not a configuration, and the message says so', () => {
  expect(loadConfig({ file: folder, env: {}, part: WHOLE, keyFlaw })).toMatchObject({
    problems: [{ what: `${folder} is a folder; give another one with --config` }],
  });
});

test.for([
  ['{\n  "a": 1,\n  "b" 2\n}', 'a mistake at line 3, column 7'],
  ['', 'the file is empty'],
  [' \n', 'the file is empty'],
  ['{\n  "a": 1\n', 'it ends at line 2, before its last brace or quote'],
  ['{"a": "b', 'it ends at line 1, before its last brace or quote'],
  ['{"a": {', 'it ends at line 1, before its last brace or quote'],
  ['// port\n{}', 'JSON has no comments'],
  ['{"a": 1 /* port */}', 'JSON has no comments: line 1, column 9'],
  ['{"a": 1,\n}', 'a comma too many before the brace at line 2, column 1'],
] as const)('a file that is not JSON is one clear problem: %j', ([text, what]) => {
  expect(problemsOf(text)).toEqual([`the configuration: ${file} is not JSON: ${what}`]);
});
