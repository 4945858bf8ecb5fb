import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Reloading } from '../../../src/daemon/start/reloading.ts';
import { WHOLE, type Config } from '../../../src/ops/config/config.ts';
import { loadConfig, type Loaded } from '../../../src/ops/config/reading/config-file.ts';
import { createLog } from '../../../src/ops/log.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { pinOf } from '../../tls/header-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'reloading-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'own.pem'), CERTIFICATES.server.cert);
writeFileSync(join(folder, 'own.key'), CERTIFICATES.server.key);
writeFileSync(join(folder, 'ca.pem'), CERTIFICATES.authority.cert);

const PIN = pinOf(CERTIFICATES.valid.cert);
const NEXT = pinOf(CERTIFICATES.renewed.cert);
const TLS = { certFile: 'own.pem', keyFile: 'own.key', caFile: 'ca.pem' };

interface Changes {
  readonly pins?: readonly string[];
  readonly form?: string;
  readonly level?: string;
  readonly queueMax?: number;
  readonly tls?: object;
}

const path = join(folder, 'config.json');

function write({ pins = [PIN], form = 'client-cert', level, queueMax, tls = TLS }: Changes): void {
  const config = {
    listen: { tls },
    store: 'sqlite:x',
    crediting: { default: { confirmations: 6, minimumAmount: '1' } },
    intake: {
      pathTokens: ['a'.repeat(32)],
      clientCertificate: { form, pins },
      ...(queueMax === undefined ? {} : { queueMax }),
    },
    log: level === undefined ? {} : { level },
  };
  writeFileSync(path, JSON.stringify(config));
}

function load(): Loaded<Config> {
  return loadConfig({ file: path, env: {}, part: WHOLE, keyFlaw: () => null });
}

/** A daemon that was started with the default file, and what it took over since. */
function started() {
  write({});
  const loaded = load();
  if (loaded.kind === 'invalid') throw new Error('the file is not valid');
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (one) => void lines.push(one) } });
  const taken: (readonly string[])[] = [];
  const broken = { prepare: false };
  const reloading = new Reloading({ config: loaded.config, source: { path, load }, log });
  onTestFinished(() => reloading.stop());
  const begin = (): void =>
    reloading.begin((config) => {
      if (broken.prepare) throw new Error('the key does not fit');
      return () => taken.push(config.intake.clientCertificate?.pins ?? []);
    });
  const said = (): string => lines.splice(0).join('');
  return { reloading, begin, taken, broken, said };
}

test('a request takes over the pins of the file as it is now', () => {
  const { reloading, begin, taken, said } = started();
  begin();
  write({ pins: [PIN, NEXT] });
  reloading.request();
  expect(taken).toEqual([[PIN, NEXT]]);
  expect(said()).toContain('"pins":2,"msg":"reloaded: certificates and pins"');
});

test('a request during the start waits for its end', () => {
  const { reloading, begin, taken } = started();
  write({ pins: [NEXT] });
  reloading.request();
  expect(taken).toEqual([]);
  begin();
  expect(taken).toEqual([[NEXT]]);
});

test('a change during the start is taken over at its end, and none is no reload', () => {
  const { begin, taken, said } = started();
  begin();
  expect([taken, said()]).toEqual([[], '']);
  const changed = started();
  write({ pins: [NEXT] });
  changed.begin();
  expect(changed.taken).toEqual([[NEXT]]);
});

test('while anything is wrong the former pins stay, and the log says what', () => {
  const { reloading, begin, taken, broken, said } = started();
  begin();
  write({ pins: ['sha256:x'] });
  reloading.request();
  expect(said()).toMatch(/"level":"error".*not reloaded.*intake\.clientCertificate\.pins\[0\]/);
  writeFileSync(path, '{');
  reloading.request();
  expect(said()).toContain('is not JSON');
  write({ pins: [NEXT] });
  broken.prepare = true;
  reloading.request();
  expect(said()).toContain('stay as they were: the key does not fit');
  expect(taken).toEqual([]);
  broken.prepare = false;
  reloading.request();
  expect(taken).toEqual([[NEXT]]);
});

test('the form tls neither begins nor ends without a restart', () => {
  const { reloading, begin, taken, said } = started();
  begin();
  write({ form: 'tls', pins: [NEXT] });
  reloading.request();
  expect(taken).toEqual([]);
  expect(said()).toContain('begins and ends with a restart');
});

test('keys that a reload does not take are named', () => {
  const { reloading, begin, taken, said } = started();
  begin();
  write({ pins: [NEXT], form: 'base64-der', tls: { ...TLS, caFile: 'own.pem' } });
  reloading.request();
  expect(said()).not.toContain('restart');
  const { caFile: _, ...withoutAuthority } = TLS;
  write({ level: 'debug', queueMax: 5, tls: withoutAuthority });
  reloading.request();
  expect(said()).toContain('changed keys that need a restart: listen, intake, log"');
  expect(taken).toHaveLength(2);
});

test('after its end nothing is taken over', () => {
  const { reloading, begin, taken } = started();
  begin();
  reloading.stop();
  write({ pins: [NEXT] });
  reloading.request();
  expect(taken).toEqual([]);
});
