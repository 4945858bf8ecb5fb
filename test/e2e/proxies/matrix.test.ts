import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clientCert, escapedPem } from '../../tls/header-values.ts';
import { makeAuthority, type Authority, type CertificateName } from '../../tls/authority.ts';
import { Service } from '../../store/webhook.ts';
import { DaemonBehindProxy, HANDED } from './daemon-behind-proxy.ts';
import { isInstalled, PROXIES, startProxy, type Proxy, type ProxyName } from './proxy.ts';
import { delivery, oddPathsOf, send, sendPlain, type Sent } from './raw-sender.ts';

/** The same notification every time: the second delivery is a duplicate. */
const BODY = JSON.stringify(new Service().incoming('confirmation'));

/** How a sender forges the pinned certificate. */
const FORGERIES = ['header', 'twice', 'underscores', 'other form'] as const;
type Forgery = (typeof FORGERIES)[number] | 'nothing';

/** `delivered`, `refused by the proxy`, or the daemon's reason. */
type Fate = string;

type Row = readonly [certificate: CertificateName | null, forged: Forgery, Fate];

/** What each sender gets at the proxy. A forgery helps nobody, and harms nobody who has no need. */
const AT_THE_PROXY: readonly Row[] = [
  ['valid', 'nothing', 'delivered'],
  [null, 'nothing', 'refused by the proxy'],
  ['expired', 'nothing', 'refused by the proxy'],
  ['not-yet-valid', 'nothing', 'refused by the proxy'],
  ['other-authority', 'nothing', 'refused by the proxy'],
  ['wrong-usage', 'nothing', 'refused by the proxy'],
  ['not-pinned', 'nothing', 'not_pinned'],
  ...FORGERIES.flatMap((forged): Row[] => [
    [null, forged, 'refused by the proxy'],
    ['not-pinned', forged, 'not_pinned'],
    ['valid', forged, 'delivered'],
  ]),
];

/** What the daemon says of the same certificates when a proxy verifies nothing. */
const AT_THE_SOCKET: readonly Row[] = [
  ['valid', 'nothing', 'delivered'],
  [null, 'nothing', 'missing'],
  ['expired', 'nothing', 'expired'],
  ['not-yet-valid', 'nothing', 'not_yet_valid'],
  ['other-authority', 'nothing', 'wrong_issuer'],
  ['wrong-usage', 'nothing', 'wrong_usage'],
  ['not-pinned', 'nothing', 'not_pinned'],
  ['valid', 'header', 'duplicate'],
  [null, 'twice', 'duplicate'],
  ['valid', 'underscores', 'other_form'],
  [null, 'underscores', 'other_form'],
  ['valid', 'other form', 'other_form'],
];

/** Why a proxy refuses, in its own log's words. */
const SAID: Record<ProxyName, readonly RegExp[]> = {
  nginx: [
    /verify=NONE/,
    /verify=FAILED:certificate has expired/,
    /verify=FAILED:certificate is not yet valid/,
    /verify=FAILED:unable to verify the first certificate/,
    /verify=FAILED:unsuitable certificate purpose/,
  ],
  // The numbers are OpenSSL's: expired, not yet valid, no issuer, purpose.
  haproxy: [
    /peer did not return a certificate/,
    /verify=10$/m,
    /verify=9$/m,
    /verify=20$/m,
    /verify=26$/m,
  ],
  caddy: [
    /client didn't provide a certificate/,
    /certificate has expired or is not yet valid: current time \S+ is after/,
    /certificate has expired or is not yet valid: current time \S+ is before/,
    /certificate signed by unknown authority/,
    /certificate specifies an incompatible key usage/,
  ],
};

let authority: Authority;
beforeAll(() => {
  authority = makeAuthority();
});
afterAll(() => authority.remove());

/** The headers in which a sender forges the pinned certificate. */
function forgedHeaders(name: ProxyName, forged: Forgery): string[] {
  const { cert } = authority.pairOf('valid');
  const { header, valueOf } = HANDED[name];
  const own = `${header}: ${valueOf(cert)}`;
  const other =
    header === 'Client-Cert'
      ? `X-Client-Certificate: ${escapedPem(cert)}`
      : `Client-Cert: ${clientCert(cert)}`;
  switch (forged) {
    case 'nothing':
      return [];
    case 'header':
      return [own];
    case 'twice':
      return [own, own];
    case 'underscores':
      return [`${header.replaceAll('-', '_')}: ${valueOf(cert)}`];
    case 'other form':
      return [other];
    default:
      return forged satisfies never;
  }
}

/** The daemon's refusals of certificates so far, by reason. */
async function refusals(adminPort: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const samples = text.matchAll(
    /^counterfoil_certificate_refusals_total\{reason="(\w+)"\} (\d+)$/gm,
  );
  return new Map([...samples].map(([, reason = '', count]) => [reason, Number(count)]));
}

function isDelivered({ status, text }: Sent): boolean {
  return status === 200 && /"status":"(accepted|duplicate)"/.test(text);
}

describe.for(PROXIES)('behind %s', (name) => {
  const withProxy = { skip: !isInstalled(name) };
  let daemon: DaemonBehindProxy;
  let adminPort: number;
  let proxy: Proxy | undefined;

  beforeAll(async () => {
    daemon = new DaemonBehindProxy(name, { authority, from: ['unix'] });
    adminPort = await daemon.atSocket();
    await daemon.start();
    if (isInstalled(name)) proxy = await startProxy(name, { authority, daemon: daemon.socket });
  });

  afterAll(async () => {
    await proxy?.end();
    await daemon.remove();
  });

  /** What became of a request, from its answer and from what the daemon counted. */
  async function fateOf(ask: () => Promise<Sent>): Promise<Fate> {
    const before = await refusals(adminPort);
    const sent = await ask();
    const after = await refusals(adminPort);
    const reasons = [...after].filter(([reason, count]) => count !== before.get(reason));
    if (isDelivered(sent)) return ['delivered', ...reasons].join();
    if (reasons.length > 0) {
      // The answer has the same text for each reason.
      const constant = sent.status === 403 && sent.text.includes('certificate-refused');
      return constant ? reasons.map(([reason]) => reason).join() : `answered ${sent.text}`;
    }
    return sent.status === null || sent.status === 400 ? 'refused by the proxy' : sent.text;
  }

  const hook = (headers: readonly string[]): string =>
    delivery(`/hooks/${daemon.pathTokens[0]}`, headers, BODY);

  test('each sender gets what it must, and each log says why', withProxy, async () => {
    const port = proxy?.port ?? 0;
    for (const row of AT_THE_PROXY) {
      const [certificate, forged] = row;
      const pair = certificate === null ? undefined : authority.pairOf(certificate);
      const text = hook(forgedHeaders(name, forged));
      const fate = await fateOf(() => send(port, { text, pair }));
      expect([certificate, forged, fate]).toEqual(row);
    }
    for (const words of SAID[name]) expect(proxy?.logs()).toMatch(words);
    const { data } = (await (
      await fetch(`http://127.0.0.1:${adminPort}/v1/notifications`, {
        headers: { authorization: `Bearer ${daemon.adminToken}` },
      })
    ).json()) as { data: object[] };
    expect(data.length).toBe(1);
  });

  test('the daemon refuses the same senders itself where a proxy verifies nothing', async () => {
    const { header, valueOf } = HANDED[name];
    for (const row of AT_THE_SOCKET) {
      const [certificate, forged] = row;
      const handed =
        certificate === null ? [] : [`${header}: ${valueOf(authority.pairOf(certificate).cert)}`];
      const text = hook([...handed, ...forgedHeaders(name, forged)]);
      const fate = await fateOf(() => sendPlain({ path: daemon.socket }, text));
      expect([certificate, forged, fate]).toEqual(row);
    }
    const reasons = new Set(
      AT_THE_SOCKET.map(([, , fate]) => fate).filter((one) => one !== 'delivered'),
    );
    for (const reason of reasons) expect(daemon.stderr()).toContain(`"reason":"${reason}"`);
  });

  test('a forged header at the daemon’s own port is not even read', async () => {
    const text = hook(forgedHeaders(name, 'header'));
    const elsewhere = await sendPlain({ port: adminPort, host: '127.0.0.1' }, text);
    expect(elsewhere.status).toBe(404);
    const other = new DaemonBehindProxy(name, { authority, from: ['127.0.0.2'] });
    onTestFinished(() => other.remove());
    await other.start();
    const port = Number(new URL(other.url).port);
    const atPort = delivery(`/hooks/${other.pathTokens[0]}`, forgedHeaders(name, 'header'), BODY);
    const to = { port, host: '127.0.0.1' };
    expect(await sendPlain(to, atPort)).toMatchObject({ status: 403 });
    expect(other.stderr()).toContain('"reason":"wrong_peer"');
    const asProxy = await sendPlain({ ...to, localAddress: '127.0.0.2' }, atPort);
    expect(isDelivered(asProxy)).toBe(true);
  });

  test('no log of any party holds a token, in whatever path it came', withProxy, async () => {
    const pair = authority.pairOf('valid');
    const port = proxy?.port ?? 0;
    for (const token of daemon.pathTokens) {
      for (const path of [`/hooks/${token}`, `/hooks/${token}?a=${token}`]) {
        expect(isDelivered(await send(port, { text: delivery(path, [], BODY), pair }))).toBe(true);
      }
      for (const path of oddPathsOf(token)) {
        const sent = await send(port, { text: delivery(path, [], BODY), pair });
        expect([path, sent.status === 404 || sent.status === 400]).toEqual([path, true]);
        expect(sent.text).not.toContain('urn:counterfoil');
      }
    }
    await daemon.end('SIGTERM');
    const { status } = await send(port, { text: hook([]), pair });
    expect([502, 503]).toContain(status);
    await proxy?.end();
    for (const token of daemon.pathTokens) {
      expect(`${proxy?.logs()}${daemon.stderr()}`).not.toContain(token);
    }
    expect(proxy?.logs()).toMatch(/\b200\b/);
  });
});
