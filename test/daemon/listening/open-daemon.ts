import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openListeners } from '../../../src/daemon/listening/listeners.ts';
import { intakeRoutes } from '../../../src/daemon/routes.ts';
import {
  CertificateGate,
  type RefusedCertificate,
} from '../../../src/daemon/senders/certificate-gate.ts';
import { RefusedSenders } from '../../../src/daemon/senders/refused-senders.ts';
import { parseConfig, WHOLE, type Config } from '../../../src/ops/config/config.ts';
import { fileChecks } from '../../../src/ops/config/reading/named-file.ts';
import { problemText } from '../../../src/ops/config/reading/problem.ts';
import { createLog } from '../../../src/ops/log.ts';
import { Metrics } from '../../../src/ops/metrics/metrics.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { pinOf } from '../../tls/header-values.ts';

const TOKEN = 'a'.repeat(32);
export const HOOK = `/hooks/${TOKEN}`;

export type Name = keyof typeof CERTIFICATES;

export const PIN = pinOf(CERTIFICATES.valid.cert);

interface Parts {
  readonly listen?: object;
  readonly admin?: object;
  readonly clientCertificate?: object;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A folder with the PEM files of every certificate, `NAME.pem` and `NAME.key`. */
export function certificateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'listening-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, { cert, key }] of Object.entries(CERTIFICATES)) {
    writeFileSync(join(folder, `${name}.pem`), cert);
    writeFileSync(join(folder, `${name}.key`), key);
  }
  return folder;
}

function anyPort(address: object): object {
  return 'socket' in address ? address : { port: 0, ...address };
}

/** The configuration of these parts. */
export function configOf(folder: string, { listen = {}, admin, clientCertificate }: Parts): Config {
  const parsed = parseConfig(
    {
      store: 'sqlite:x',
      crediting: { default: { confirmations: 6 } },
      listen: anyPort(listen),
      ...(admin === undefined ? {} : { admin: anyPort(admin) }),
      intake: {
        pathTokens: [TOKEN],
        ...(clientCertificate === undefined ? {} : { clientCertificate }),
      },
    },
    { part: WHOLE, folder, checks: fileChecks(() => null) },
  );
  if (parsed.kind === 'ok') return parsed.config;
  throw new Error(problemText(parsed.problems));
}

/** The daemon's listeners and its intake, whose ledger accepts everything. */
export async function openDaemon(parts: Parts, folder = certificateFolder()) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (one) => void lines.push(one) } });
  const refusals: RefusedCertificate[] = [];
  const sources: string[] = [];
  const clock = { now: Date.parse('2030-01-01T00:00:00Z') };
  // Each call is a minute later, so that every refusal is logged.
  let monotonicMs = 0;
  const refused = new RefusedSenders({ log, now: () => (monotonicMs += 60_000) });
  const gate = new CertificateGate({
    now: () => clock.now,
    onRefused: (one) => {
      refusals.push(one);
      refused.certificate(one);
    },
    onIgnored: (header) => refused.ignored(header),
  });
  const config = configOf(folder, parts);
  gate.prepare(config.intake.clientCertificate)();
  const submitted: unknown[] = [];
  const hooks = intakeRoutes(
    {
      intake: config.intake,
      queue: {
        submit: (fact) => {
          submitted.push(fact);
          return Promise.resolve({ kind: 'delivery', status: 'accepted' });
        },
      },
      log,
      metrics: new Metrics({ now: () => 0 }),
    },
    { gate, refused },
  );
  const listeners = await openListeners(
    config,
    {
      all: (request, env) => {
        sources.push(env.source);
        return new URL(request.url).pathname.startsWith('/hooks/')
          ? hooks.fetch(request, env)
          : new Response('other');
      },
      deliveries: hooks.fetch,
      others: () => new Response('other'),
    },
    refused,
  );
  onTestFinished(() => listeners.cut());
  onTestFinished(() => void listeners.close());
  const reload = (next: Parts): void => {
    const changed = configOf(folder, next);
    const takes = [listeners.prepare(changed), gate.prepare(changed.intake.clientCertificate)];
    for (const take of takes) take();
    listeners.drop((connection) => gate.refusesConnection(connection));
  };
  return { folder, clock, config, listeners, gate, refusals, lines, sources, submitted, reload };
}

/** A body that intake takes, with an id of its own. */
export function body(): string {
  return JSON.stringify({ id: randomBytes(8).toString('hex'), stream: 'new' });
}

/** What a client needs to reach a listener. */
export function target(url: string): RequestOptions & { readonly isTls: boolean } {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length), isTls: false };
  const { protocol, hostname, port } = new URL(url);
  return { host: hostname, port, isTls: protocol === 'https:' };
}

export interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** TLS of the client, and its agent. */
  readonly more?: object;
}

/** Sends one request and answers what came back. */
export async function ask(url: string, asking: Asking = {}): Promise<Answer> {
  const { isTls, ...where } = target(url);
  const { path = HOOK, method = 'POST', headers = {}, more = {} } = asking;
  const options = { ...where, path, method, headers, ca: CERTIFICATES.authority.cert, ...more };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(options as RequestOptions, resolve);
    request.once('error', reject);
    request.end(method === 'POST' ? body() : undefined);
  });
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** A client's certificate for TLS. */
export function shown(name: Name): object {
  return { cert: CERTIFICATES[name].cert, key: CERTIFICATES[name].key };
}
