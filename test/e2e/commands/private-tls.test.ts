import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY, STRANGER, STRANGER_KEY } from '../../ops/certificate.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { eventually, runProgram } from '../program.ts';

/** A daemon over HTTPS, whose certificate is an authority of its own that issued itself. */
async function privateDaemon(options: { asksForCertificates: boolean }) {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const cert = join(daemon.folder, 'tls.crt');
  const key = join(daemon.folder, 'tls.key');
  const token = join(daemon.folder, 'token');
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY);
  writeFileSync(token, daemon.adminToken, { mode: 0o600 });
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as { listen: object };
  const authority = options.asksForCertificates ? { caFile: cert } : {};
  const listen = { ...config.listen, tls: { certFile: cert, keyFile: key, ...authority } };
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, listen }));
  await daemon.start();
  const { port } = new URL(daemon.url);
  const asking = (command: string, ...flags: string[]) =>
    runProgram(command, '--url', `https://localhost:${port}`, '--token-file', token, ...flags);
  return { daemon, asking, cert, key, port };
}

/** What each command says once it has come through. */
const COMMANDS = [
  ['reconcile', 0, /^matched +0$/m],
  ['report', 1, /^counterfoil: no day is closed yet; /m],
] as const;

test.each(COMMANDS)(
  '%s talks to a daemon of a private authority, and says what is missing without it',
  async (command, code, said) => {
    const { asking, cert, port } = await privateDaemon({ asksForCertificates: false });
    const stranger = await asking(command);
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toMatch(/not trusted .*--ca FILE/);
    const { stdout, stderr, ...known } = await asking(command, '--ca', cert);
    expect([known.code, stdout + stderr]).toEqual([code, expect.stringMatching(said)]);
    // The certificate is for localhost alone.
    const elsewhere = await asking(command, '--ca', cert, '--url', `https://127.0.0.1:${port}`);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      expect.stringMatching(/127\.0\.0\.1.*give --url with a name that its certificate has/),
    ]);
  },
);

test.each(COMMANDS)(
  '%s shows a certificate where the daemon asks for one, and says that it does',
  async (command, code, said) => {
    const { daemon, asking, cert, key } = await privateDaemon({ asksForCertificates: true });
    const nobody = await asking(command, '--ca', cert);
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/asks for client certificates.*--cert FILE --key FILE/),
    ]);
    const refused = /connections are refused: .*\(none was shown\).*listen\.tls\.caFile/;
    await eventually('the log of the daemon says so too', async () =>
      refused.test(daemon.stderr()) ? true : undefined,
    );
    const pair = ['--cert', cert, '--key', key];
    const { stdout, stderr, ...known } = await asking(command, '--ca', cert, ...pair);
    expect([known.code, stdout + stderr]).toEqual([code, expect.stringMatching(said)]);
  },
);

test('the log of the daemon says why it refuses a certificate of another authority', async () => {
  const { daemon, asking, cert } = await privateDaemon({ asksForCertificates: true });
  const [strange, strangeKey] = [join(daemon.folder, 'strange.crt'), join(daemon.folder, 's.key')];
  writeFileSync(strange, STRANGER);
  writeFileSync(strangeKey, STRANGER_KEY);
  const pair = ['--cert', strange, '--key', strangeKey];
  const { code, stderr } = await asking('reconcile', '--ca', cert, ...pair);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/one of that authority with --cert/)]);
  await eventually('the log says why', async () =>
    daemon.stderr().includes('"cause":"DEPTH_ZERO_SELF_SIGNED_CERT"') ? true : undefined,
  );
});

test('files of TLS that are none, come alone or are for no HTTPS are bad usage', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const cert = join(daemon.folder, 'tls.crt');
  const key = join(daemon.folder, 'tls.key');
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY);
  const url = ['--url', 'https://localhost:1', '--token-file', cert];
  const refusals: [args: string[], message: RegExp][] = [
    [['reconcile', ...url, '--cert', cert], /--cert and --key go together/],
    [['report', ...url, '--key', key], /--cert and --key go together/],
    [['reconcile', ...url, '--ca', key], /--ca: .*tls\.key is not a certificate in PEM/],
    [
      ['reconcile', ...url, '--ca', '/nowhere/ca'],
      /--ca: \/nowhere\/ca does not exist; check the path/,
    ],
    [['report', ...url, '--cert', cert, '--key', cert], /--key: .*is not an unencrypted private/],
    [['reconcile', '--url', 'http://localhost:1', '--ca', cert], /--ca.* are for https:\/\//],
    [['report', '--store', 'x', '--ca', cert], /--ca.* give --url/],
  ];
  for (const [args, message] of refusals) {
    const { code, stdout, stderr } = await callProgram(...args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  }
});
