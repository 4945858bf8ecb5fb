import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { failureOf } from '../../../src/store/postgres/connection/statement-failure.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { serverUser } from '../../../src/commands/demo/postgres/installation.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { makeAuthority, type Authority, type CertificateName } from '../../tls/authority.ts';
import { NOW_MS } from './receiver.ts';

describe.runIf(isInstalled)('TLS to PostgreSQL', () => {
  let cluster: PostgresCluster;
  let authority: Authority;
  beforeAll(async () => {
    authority = makeAuthority();
    cluster = await startPostgres({ standby: false });
  });
  afterAll(async () => {
    await cluster?.stop();
    authority?.remove();
  });

  /** Reads the server's certificate and key anew, from files that its user owns. */
  async function serveTls(name: CertificateName): Promise<void> {
    const { uid, gid } = serverUser();
    chmodSync(authority.folder, 0o711);
    const { cert, key } = authority.pairOf(name);
    for (const [setting, text] of [
      ['ssl_cert_file', cert],
      ['ssl_key_file', key],
    ] as const) {
      const path = join(authority.folder, setting);
      writeFileSync(path, text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
      await cluster.sql(`ALTER SYSTEM SET ${setting} = '${path}'`);
    }
    await cluster.sql('ALTER SYSTEM SET ssl = on');
    await cluster.sql('SELECT pg_reload_conf()');
    const isOn = "SELECT current_setting('ssl') AS ssl";
    await expect.poll(() => cluster.sql(isOn)).toEqual([{ ssl: 'on' }]);
  }

  /** The outcome of `init` under an address's parameters. */
  async function outcome(host: string, parameters: string): Promise<string> {
    const text = cluster.url('postgres', parameters).replace('127.0.0.1', host);
    try {
      await initJournal(journalAddress(text), { nowMs: NOW_MS });
      return 'connected';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  test('a server without TLS is refused where TLS is wanted', async () => {
    expect(await outcome('localhost', '?sslmode=require')).toContain(
      'the server has no TLS: switch ssl on there',
    );
  });

  test('verify-full takes a server of the authority under the name of its certificate alone', async () => {
    await serveTls('server');
    const ca = `sslrootcert=${join(authority.folder, 'ca.pem')}`;
    expect(await outcome('localhost', `?sslmode=verify-full&${ca}`)).toBe('connected');
    // Another name of 127.0.0.1, which the certificate does not have.
    expect(await outcome('127.1', `?sslmode=verify-full&${ca}`)).toContain(
      "127.1. is not in the cert's altnames",
    );
    expect(await outcome('127.1', `?sslmode=verify-ca&${ca}`)).toBe('connected');
    expect(await outcome('localhost', '?sslmode=verify-full')).toContain('unable to verify');
    expect(await outcome('localhost', '?sslmode=require')).toBe('connected');
  });

  test('a certificate that is not valid now is refused, with what to do', async () => {
    const ca = `?sslmode=verify-ca&sslrootcert=${join(authority.folder, 'ca.pem')}`;
    await serveTls('expired');
    await expect.poll(() => outcome('localhost', ca)).toContain('expired (renew the server');
    await serveTls('not-yet-valid');
    await expect.poll(() => outcome('localhost', ca)).toContain('not yet valid (set both clocks');
  });
});

test.each([
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'name the authority of its certificate in sslrootcert'],
  ['EHOSTUNREACH', 'the server cannot be reached: check network and firewall'],
  ['ENETUNREACH', 'the server cannot be reached: check network and firewall'],
  ['ECONNRESET', 'the connection was lost: the server ended it, or the network was cut'],
])('the failure %s says what to do', (code, advice) => {
  const failure = failureOf(Object.assign(new Error('said'), { code }), false);
  expect(failure.message).toBe(`said (${advice})`);
});
