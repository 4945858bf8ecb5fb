import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkListeners } from '../../../src/daemon/checks/listener-check.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { certificateFolder, configOf, PIN } from '../listening/open-daemon.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const RULE = { form: 'client-cert', pins: [PIN] };
const TLS = { certFile: 'server.pem', keyFile: 'server.key' };

type Parts = Parameters<typeof configOf>[1];

function said(folder: string, parts: Parts, now = NOW): string[] {
  const config = configOf(folder, parts);
  return checkListeners(config, now).map(
    ({ status, check, detail }) => `${status} ${check}: ${detail}`,
  );
}

test('without a rule for certificates a warning says what the URL is worth', () => {
  expect(said(certificateFolder(), {})).toEqual([
    'warning client certificates: deliveries need none: whoever learns the webhook URL can forge them; set intake.clientCertificate',
  ]);
});

test('sound listeners are ok, with their dates', () => {
  const listen = { tls: { ...TLS, caFile: 'authority.pem' } };
  const clientCertificate = { form: 'tls', pins: [PIN], issuerFile: 'authority.pem' };
  expect(said(certificateFolder(), { listen, admin: { tls: TLS }, clientCertificate })).toEqual([
    'ok certificates: listen.tls.certFile is valid until 2125-01-01',
    expect.stringMatching(/^ok certificates: listen\.tls\.caFile is valid until 21/),
    'ok certificates: admin.tls.certFile is valid until 2125-01-01',
    expect.stringMatching(/^ok certificates: intake\.clientCertificate\.issuerFile is valid/),
    'ok client certificates: form tls, pins: 1',
  ]);
});

test('certificates that ended, end soon or have not begun are mentioned', () => {
  const folder = certificateFolder();
  const parts = { listen: { tls: TLS }, clientCertificate: RULE };
  const file = join(folder, 'server.pem');
  const at = (time: string): string | undefined => said(folder, parts, Date.parse(time))[0];
  expect(at('2124-12-20T12:00:00Z')).toBe(
    `warning certificates: listen.tls.certFile ends in 11 days: replace ${file}, no restart is needed`,
  );
  expect(at('2125-02-01T00:00:00Z')).toBe(
    `problem certificates: listen.tls.certFile ended on 2125-01-01: replace ${file}`,
  );
  expect(at('2025-12-31T00:00:00Z')).toBe(
    `problem certificates: listen.tls.certFile is valid from 2026-01-01 on: check the clock, or ${file}`,
  );
});

test('of several authorities the last to end counts', () => {
  const folder = certificateFolder();
  const both = CERTIFICATES.expired.cert + CERTIFICATES.authority.cert;
  writeFileSync(join(folder, 'both.pem'), both);
  const rule = { ...RULE, issuerFile: 'both.pem' };
  expect(said(folder, { clientCertificate: rule })[0]).toMatch(/^ok certificates: .*issuerFile/);
});

test('a socket needs its folder, and a range of all addresses permits everybody', () => {
  const folder = certificateFolder();
  const from = ['unix', '10.0.0.0/8', '0.0.0.0/0', '::/0', 'fd00::/16'];
  const parts = {
    listen: { socket: 'in.sock' },
    admin: { socket: 'nowhere/admin.sock' },
    clientCertificate: { ...RULE, from },
  };
  expect(said(folder, parts)).toEqual([
    `ok sockets: listen.socket: the folder ${folder} exists`,
    `problem sockets: admin.socket: the folder ${folder}/nowhere does not exist; make it, writable for the daemon alone`,
    'warning client certificates: intake.clientCertificate.from permits very many peers (0.0.0.0/0, ::/0), and each of them can name any certificate: name your proxies',
  ]);
});
