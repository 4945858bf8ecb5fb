import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { WHOLE, type Config } from '../../../src/ops/config/config.ts';
import { loadConfig, type Loaded } from '../../../src/ops/config/reading/config-file.ts';
import { problemText } from '../../../src/ops/config/reading/problem.ts';
import type { Environment } from '../../../src/ops/config/reading/substitution.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../certificate.ts';

export const TOKEN = 'a'.repeat(32);
export const SHA256 = '0123456789abcdef'.repeat(4);
export const MINIMAL = {
  store: 'sqlite:books.db',
  intake: { pathTokens: [TOKEN] },
  crediting: { default: { confirmations: 6 } },
};

/** Accepts every file as a key, except an empty one. */
export const keyFlaw = (pem: string): string | null => (pem === '' ? 'not a key' : null);

/** The files that a configuration can name; the tests of one file share them. */
function fill(folder: string): void {
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
}

/** A folder with a configuration, until the calling file's tests have ended. */
export function configFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  fill(folder);
  const file = path.join(folder, 'config.json');

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
    return loaded.kind === 'ok'
      ? []
      : loaded.problems.map(({ where, what }) => `${where}: ${what}`);
  }

  return { folder, file, load, configOf, problemsOf };
}
