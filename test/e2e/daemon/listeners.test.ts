import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Daemon } from '../daemon.ts';

/** A daemon whose deliveries arrive at a socket, and everything else at a port. */
function splitDaemon() {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const socketPath = join(daemon.folder, 'intake.sock');
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as { listen: object };
  const { listen: admin, ...others } = config;
  const parts = { ...others, listen: { socket: socketPath }, admin };
  writeFileSync(daemon.configPath, JSON.stringify(parts));
  return { daemon, socketPath };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function ask(where: object, path: string, body?: string): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ ...where, path, method }, resolve)
      .once('error', reject)
      .end(body);
  });
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

test('deliveries at a socket and people at a port: neither serves the other, and no answer repeats a token', async () => {
  const { daemon, socketPath } = splitDaemon();
  await daemon.start();
  expect(daemon.url).toBe(`unix:${socketPath}`);
  const { hostname, port } = new URL(daemon.adminUrl);
  const [intake, admin] = [{ socketPath }, { host: hostname, port }];
  const hook = `/hooks/${daemon.pathTokens[0]}`;
  const notification = JSON.stringify({ id: 'one', stream: 'unheard-of' });
  expect(await ask(intake, hook, notification)).toEqual({
    status: 200,
    body: '{"status":"quarantined"}',
  });
  expect((await ask(intake, '/healthz')).status).toBe(404);
  expect((await ask(intake, '/console')).status).toBe(404);
  expect((await ask(admin, '/healthz')).status).toBe(200);
  for (const path of [hook, `/x${hook}`, `/%68ooks/${daemon.pathTokens[0]}`]) {
    const answer = await ask(admin, path, notification);
    expect([path, answer.status]).toEqual([path, 404]);
    expect([path, answer.body.includes(daemon.pathTokens[0])]).toEqual([path, false]);
  }
  expect(await daemon.end('SIGTERM')).toBe(0);
  expect(existsSync(socketPath)).toBe(false);
  expect(daemon.stderr()).not.toContain(daemon.pathTokens[0]);
});

test('a start takes over the socket that a kill left', async () => {
  const { daemon, socketPath } = splitDaemon();
  await daemon.start();
  await daemon.end('SIGKILL');
  expect(existsSync(socketPath)).toBe(true);
  await daemon.start();
  const notification = JSON.stringify({ id: 'one', stream: 'unheard-of' });
  const answer = await ask({ socketPath }, `/hooks/${daemon.pathTokens[0]}`, notification);
  expect(answer.status).toBe(200);
});
