import path from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, MINIMAL, SHA256, TOKEN } from './config-folder.ts';

const { folder, load, configOf, problemsOf } = configFolder();

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

test('only files that hold a secret are listed', () => {
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
    `api.tokens[0].sha256File: ${folder}/nowhere does not exist; check the path`,
  ]);
});

test('a bad value from a file is reported with the key that names the file', () => {
  expect(
    problemsOf({
      storeFile: 'sha',
      intake: { pathTokensFile: 'url' },
      crediting: MINIMAL.crediting,
      api: { tokens: [{ name: 'a', role: 'admin', sha256File: 'url' }] },
    }),
  ).toEqual([
    'storeFile: must be "sqlite:PATH" or "postgres://USER@HOST[:PORT][,HOST…]/DATABASE"',
    'intake.pathTokensFile[0]: must be 32 to 256 letters, digits or ._~- ; `openssl rand -hex 32` makes one',
    'api.tokens[0].sha256File: must be the SHA-256 of the token, 64 hexadecimal digits',
  ]);
});

test('files with wrong content are reported together with all other problems', () => {
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
    problems({ certFile: none, keyFile: 'tls.crt', caFile: none }, 'postgres://u:p@/db'),
  ).toEqual([
    port,
    `listen.tls.certFile: ${folder}/keys/empty.pem is not a certificate in PEM`,
    `listen.tls.keyFile: ${folder}/tls.crt is not an unencrypted private key in PEM`,
    `listen.tls.caFile: ${folder}/keys/empty.pem is not a certificate in PEM`,
    'store: names no host',
    ...others,
  ]);
  expect(problems({ certFile: 'tls.crt', keyFile: 'nowhere' }, 'sqlite:x')).toEqual([
    port,
    `listen.tls.keyFile: ${folder}/nowhere does not exist; check the path`,
    ...others,
  ]);
  expect(problems({ certFile: 'tls.crt', keyFile: 'other.key' }, 'sqlite:x')).toEqual([
    port,
    expect.stringMatching(/^listen\.tls: the key of keyFile does not fit certFile \(/),
    ...others,
  ]);
});
