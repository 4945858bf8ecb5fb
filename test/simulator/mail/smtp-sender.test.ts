import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test, vi } from 'vitest';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';

const ANA = 'ana@example.com';

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A mail server on loopback; `refuse` answers every recipient with 550. */
async function mailServer(options: { refuse?: boolean } = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, done) =>
      done(options.refuse === true ? new Error('no such mailbox') : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { received, smtpUrl: `smtp://127.0.0.1:${port}` };
}

async function coreWith(smtpUrl: string, email = ANA) {
  const onNotice = vi.fn<(notice: string) => void>();
  const caller = await startCaller({ smtpUrl, mailFrom: 'core@example.com', onNotice });
  stops.push(() => caller.stop());
  await caller.sim('POST', '/sim/clients', { name: 'Ana', type: 'user', email, permissions: [] });
  return { caller, onNotice };
}

const ask = (caller: Caller, email: string) =>
  caller.api('POST', '/auth/login-code/request', { email }, { token: null });

async function mails(caller: Caller): Promise<{ code: string; relay: string }[]> {
  // The clock does not move while a mail is being sent.
  await caller.advance(0);
  const { data } = await caller.sim('GET', '/sim/mailbox');
  return data as { code: string; relay: string }[];
}

test('a login code goes to the mail server as well as to the mailbox', async () => {
  const { received, smtpUrl } = await mailServer();
  const { caller, onNotice } = await coreWith(smtpUrl);
  await ask(caller, ANA);
  const [mail] = await mails(caller);
  expect(mail).toMatchObject({ to: ANA, relay: 'sent' });
  expect(received).toHaveLength(1);
  expect(received[0]?.to).toEqual([ANA]);
  expect(received[0]?.text).toContain('From: core@example.com');
  expect(received[0]?.text).toContain(`Your login code is ${mail?.code ?? 'missing'}.`);
  const body = { email: ANA, code: mail?.code };
  const verified = await caller.api('POST', '/auth/login-code/verify', body, { token: null });
  expect(verified.status).toBe(200);
  expect(onNotice).not.toHaveBeenCalled();
});

test('a mail that is refused changes no answer, and is reported without its code', async () => {
  const { smtpUrl } = await mailServer({ refuse: true });
  const { caller, onNotice } = await coreWith(smtpUrl);
  const [known, unknown] = [await ask(caller, ANA), await ask(caller, 'nobody@example.com')];
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  const [mail, ...others] = await mails(caller);
  expect(others).toEqual([]);
  expect(mail?.relay).toBe('failed');
  expect(onNotice).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^mail 1 was not sent: .*no such mailbox/),
  );
  expect(onNotice.mock.calls.flat().join(' ')).not.toContain(mail?.code ?? 'missing');
});

test('a mail server that is down changes no answer, and is reported', async () => {
  const { caller, onNotice } = await coreWith('smtp://user:secret@127.0.0.1:1');
  expect((await ask(caller, ANA)).body).toEqual({ status: 'sent' });
  expect((await mails(caller)).map(({ relay }) => relay)).toEqual(['failed']);
  expect(onNotice).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('ECONNREFUSED'));
  expect(onNotice.mock.calls.flat().join(' ')).not.toContain('secret');
});

test('a silent mail server delays neither the answer nor the stop', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise<void>((resolve) => silent.close(() => resolve())));
  const { port } = silent.address() as AddressInfo;
  const { caller, onNotice } = await coreWith(`smtp://127.0.0.1:${port}`);
  const begun = performance.now();
  expect((await ask(caller, ANA)).status).toBe(200);
  const { data } = await caller.sim('GET', '/sim/mailbox');
  expect(data).toMatchObject([{ relay: 'pending' }]);
  await caller.stop();
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(onNotice).toHaveBeenCalledTimes(1);
  stops.splice(1, 1);
});

test('an address that reads like two is one recipient', async () => {
  const { received, smtpUrl } = await mailServer();
  const strange = 'ana,ben@example.com';
  const { caller } = await coreWith(smtpUrl, strange);
  await ask(caller, strange);
  await mails(caller);
  expect(received.flatMap(({ to }) => to)).toHaveLength(1);
});
