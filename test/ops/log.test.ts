import { expect, test } from 'vitest';
import { createLog } from '../../src/ops/log.ts';
import type { Logger } from '../../src/ops/log.ts';
import { secretMask } from '../../src/ops/secret-mask.ts';

const TOKEN = 'k'.repeat(32);
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

function recorded(options: { level?: string; secrets?: string[] } = {}): {
  log: Logger;
  lines: string[];
} {
  const lines: string[] = [];
  const log = createLog({
    level: options.level ?? 'info',
    secrets: options.secrets ?? [],
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

test('a line is JSON with its level by name and its time in ISO 8601', () => {
  const { log, lines } = recorded();
  log.info({ vaultId: 'v-1' }, 'swept');
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ level: 'info', vaultId: 'v-1', msg: 'swept' });
  expect(lines[0]).toMatch(/"time":"\d{4}-\d\d-\d\dT[\d:.]+Z"/);
});

test('lines below the level are not written', () => {
  const { log, lines } = recorded({ level: 'warn' });
  log.info('quiet');
  expect(lines).toEqual([]);
});

test.each([
  ['the path of a delivery', { url: `/hooks/${TOKEN}?x=1` }, '/hooks/***'],
  ['a webhook URL', { webhookUrl: `https://x.example/hooks/${TOKEN}` }, '/hooks/***'],
  ['an authorization header', { req: { headers: { authorization: `Bearer ${JWT}` } } }, '***'],
  ['a configured list', { intake: { pathTokens: [TOKEN] } }, '***'],
  ['a token of its own', { token: TOKEN }, '***'],
  ["a sign-in provider's secret", { oidc: { clientSecret: TOKEN } }, '***'],
  [
    'a private key',
    { pem: '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n' },
    '***',
  ],
  ['an error that quotes', { err: new Error(`POST /hooks/${TOKEN} with Bearer ${JWT}`) }, '***'],
])('%s is masked', (_name, fields, left) => {
  const { log, lines } = recorded();
  log.error(fields, 'went wrong');
  expect(lines[0]).toContain(left);
  expect(lines[0]).not.toMatch(/k{32}|eyJ|MIIE/);
  expect(() => void JSON.parse(lines[0] ?? '')).not.toThrow();
});

test('a known secret is masked everywhere, also in messages and child loggers', () => {
  const { log, lines } = recorded({ secrets: [TOKEN] });
  log.child({ path: `x${TOKEN}y` }).warn(`saw ${TOKEN}`);
  expect(lines[0]).not.toContain(TOKEN);
});

test('the mask leaves ordinary text alone', () => {
  const text = 'deposit dep_1 of ethereum:ETH at https://x.example/v1/deposits?after=3 bearer';
  expect(secretMask(['', 'eth'])(text)).toBe(text);
});

test('the password in an address is masked', () => {
  expect(secretMask()('postgres://user:hunter2@db/x')).toBe('postgres://user:***@db/x');
});
