import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { base64Der, clientCert, envoyCert, escapedPem, pinOf } from '../../tls/header-values.ts';
import { ask, body, HOOK, openDaemon, PIN, target, type Name } from '../listening/open-daemon.ts';

const { valid, renewed } = CERTIFICATES;

const FORMS: readonly (readonly [form: string, header: string, value: (pem: string) => string])[] =
  [
    ['client-cert', 'Client-Cert', clientCert],
    ['escaped-pem', 'X-Client-Certificate', escapedPem],
    ['base64-der', 'X-Client-Certificate-DER', base64Der],
    ['x-forwarded-client-cert', 'X-Forwarded-Client-Cert', (pem) => `By=a;Cert=${envoyCert(pem)}`],
  ];

test.for(FORMS)('over %s the pinned certificate delivers, and no other header', async (own) => {
  const [form, header, value] = own;
  const daemon = await openDaemon({ clientCertificate: { form, pins: [PIN] } });
  const send = async (headers: Record<string, string | string[]>): Promise<number> =>
    (await ask(daemon.listeners.url, { headers })).status;
  const right = value(valid.cert);
  expect(await send({ [header]: right })).toBe(200);
  expect(await send({ [header]: right })).toBe(200);
  const refused: readonly (readonly [Record<string, string | string[]>, string])[] = [
    [{}, 'missing'],
    [{ [header]: 'x' }, 'malformed'],
    [{ [header]: [right, right] }, 'duplicate'],
    [{ [header]: `${right}, ${right}` }, 'duplicate'],
    [{ [header]: right, [header.replaceAll('-', '_')]: right }, 'other_form'],
    [{ [header.replaceAll('-', '_')]: right }, 'other_form'],
    [{ [header]: value(renewed.cert) }, 'not_pinned'],
    [{ [header]: value(CERTIFICATES.wrongUsage.cert) }, 'wrong_usage'],
    [{ [header]: value(CERTIFICATES.expired.cert) }, 'expired'],
    [{ [header]: value(CERTIFICATES.notYetValid.cert) }, 'not_yet_valid'],
    ...FORMS.filter(([other]) => other !== form).map(
      ([, name, spelled]) =>
        [{ [header]: right, [name]: spelled(valid.cert) }, 'other_form'] as const,
    ),
  ];
  for (const [headers] of refused) expect(await send(headers)).toBe(403);
  expect(daemon.refusals.map(({ reason }) => reason)).toEqual(refused.map(([, reason]) => reason));
  expect(daemon.submitted).toHaveLength(2);
});

test('a refusal’s answer is the same for every reason, and before the token is looked at', async () => {
  const clientCertificate = { form: 'client-cert', pins: [PIN] };
  const { listeners } = await openDaemon({ clientCertificate });
  const values = ['x', clientCert(renewed.cert), clientCert(CERTIFICATES.expired.cert)];
  const asked = values.flatMap((value) =>
    [HOOK, `${HOOK}x`].map((path) =>
      ask(listeners.url, { path, headers: { 'client-cert': value } }),
    ),
  );
  const answers = await Promise.all(asked);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe(403);
});

test('only a configured peer may hand a certificate on', async () => {
  const headers = { 'client-cert': clientCert(valid.cert) };
  const cases: readonly (readonly [from: string[], status: number])[] = [
    [['127.0.0.1'], 200],
    [['127.0.0.0/8'], 200],
    [['10.0.0.0/8', '::1', 'unix'], 403],
  ];
  for (const [from, status] of cases) {
    const clientCertificate = { form: 'client-cert', from, pins: [PIN] };
    const { listeners, refusals } = await openDaemon({ clientCertificate });
    expect((await ask(listeners.url, { headers })).status).toBe(status);
    expect(refusals.map(({ reason }) => reason)).toEqual(status === 200 ? [] : ['wrong_peer']);
  }
});

test('a peer in IPv6 that is one in IPv4 counts as that one', async () => {
  const clientCertificate = { form: 'client-cert', from: ['127.0.0.1'], pins: [PIN] };
  const { listeners } = await openDaemon({ listen: { host: '::' }, clientCertificate });
  const { port } = new URL(listeners.url);
  const headers = { 'client-cert': clientCert(valid.cert) };
  expect((await ask(`http://127.0.0.1:${port}`, { headers })).status).toBe(200);
});

test('authority and names are checked beside the pin', async () => {
  const pins = [PIN, pinOf(CERTIFICATES.stranger.cert), pinOf(CERTIFICATES.noUsage.cert)];
  const { listeners, refusals } = await openDaemon({
    clientCertificate: {
      form: 'client-cert',
      pins,
      issuerFile: 'authority.pem',
      names: ['https://custody.example/webhooks', 'CUSTODY.example'],
    },
  });
  const send = async (name: Name): Promise<number> => {
    const headers = { 'client-cert': clientCert(CERTIFICATES[name].cert) };
    return (await ask(listeners.url, { headers })).status;
  };
  expect(await send('valid')).toBe(200);
  expect(await send('noUsage')).toBe(200);
  expect(await send('stranger')).toBe(403);
  expect(await send('notPinned')).toBe(403);
  expect(refusals.map(({ reason }) => reason)).toEqual(['wrong_issuer', 'not_pinned']);
});

test('a certificate that ends is refused from then on, on an open connection too', async () => {
  const clientCertificate = { form: 'client-cert', pins: [PIN] };
  const { listeners, clock, refusals } = await openDaemon({ clientCertificate });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { 'client-cert': clientCert(valid.cert) };
  const send = (): Promise<{ status: number }> => ask(listeners.url, { headers, more: { agent } });
  expect((await send()).status).toBe(200);
  clock.now = Date.parse('2126-01-01T00:00:00Z');
  expect((await send()).status).toBe(403);
  expect(refusals).toMatchObject([{ reason: 'expired', peer: '127.0.0.1' }]);
});

test('a reload decides the next request of an open connection, and the body under way', async () => {
  const rule = { form: 'client-cert', pins: [PIN] };
  const daemon = await openDaemon({ clientCertificate: rule });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { 'client-cert': clientCert(valid.cert) };
  const send = (): Promise<{ status: number }> =>
    ask(daemon.listeners.url, { headers, more: { agent } });
  expect((await send()).status).toBe(200);
  daemon.reload({ clientCertificate: { ...rule, pins: [pinOf(renewed.cert)] } });
  expect((await send()).status).toBe(403);
  daemon.reload({ clientCertificate: rule });
  expect((await send()).status).toBe(200);
  const sent = body();
  const slow = httpRequest({
    ...target(daemon.listeners.url),
    path: HOOK,
    method: 'POST',
    headers: { ...headers, 'content-length': sent.length, expect: '100-continue' },
  });
  slow.flushHeaders();
  // The daemon has the headers, and waits for the body.
  await once(slow, 'continue');
  daemon.reload({ clientCertificate: { ...rule, pins: [pinOf(renewed.cert)] } });
  slow.end(sent);
  const [answer] = (await once(slow, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  expect(answer.statusCode).toBe(403);
  expect(daemon.submitted).toHaveLength(2);
});

test('without a rule a certificate header changes nothing, and is logged once', async () => {
  const daemon = await openDaemon({});
  const headers = { client_cert: 'x' };
  expect((await ask(daemon.listeners.url)).status).toBe(200);
  expect(daemon.lines).toEqual([]);
  expect((await ask(daemon.listeners.url, { headers })).status).toBe(200);
  expect((await ask(daemon.listeners.url, { headers })).status).toBe(200);
  expect(daemon.lines).toEqual([expect.stringContaining('"header":"client_cert"')]);
});
