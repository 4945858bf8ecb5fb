import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import type { NetConnectOpts, Socket } from 'node:net';
import { connect } from 'node:tls';
import type { KeyPair } from '../../tls/authority.ts';
import { collect } from '../program.ts';

/** What came back for a request. */
export interface Sent {
  /** Null when the connection ended without an answer. */
  readonly status: number | null;
  readonly text: string;
  /** The code of the error that ended the connection; null without one. */
  readonly error: string | null;
}

/** Sends a request's text over TLS as it is. */
export async function send(
  port: number,
  { text, pair }: { readonly text: string; readonly pair?: KeyPair | undefined },
): Promise<Sent> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    // The senders of these tests trust whom they call; the proxy is what is tested.
    rejectUnauthorized: false,
    ...pair,
  });
  return exchange(socket, text);
}

/** Sends a request's text without TLS, to a port or a Unix socket. */
export function sendPlain(to: NetConnectOpts, text: string): Promise<Sent> {
  return exchange(connectPlain(to), text);
}

async function exchange(socket: Socket, text: string): Promise<Sent> {
  const answered = collect(socket);
  let error: string | null = null;
  socket.on('error', (reason: NodeJS.ErrnoException) => {
    error = reason.code ?? reason.message;
  });
  const closed = once(socket, 'close').catch(() => undefined);
  socket.write(text);
  await closed;
  const status = /^HTTP\/1\.[01] ([0-9]{3}) /.exec(answered())?.[1];
  return { status: status === undefined ? null : Number(status), text: answered(), error };
}

/** A delivery that asks for the end of its connection. */
export function delivery(path: string, headers: readonly string[] = [], body = '{}'): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}

/** Ways to spell the path of a delivery that a proxy must not open, and paths of other pages. */
export function oddPathsOf(token: string): string[] {
  return [
    `//hooks/${token}`,
    `/hooks//${token}`,
    `/%68ooks/${token}`,
    `/%2fhooks/${token}`,
    `/./hooks/${token}`,
    `/x/../hooks/${token}`,
    `/hooks/../${token}`,
    `/hooks/x/..%2f${token}`,
    `/hooks/${token}/../../metrics`,
    `/hooks/%2e%2e/${token}`,
    `/hook/${token}`,
    `/HOOKS/${token}`,
    `/${token}`,
    `/v1/hooks/${token}`,
    `http://localhost//hooks/${token}`,
    `/hooks/${token}\\`,
    `/hooks/${token}/`,
    `/hooks/${token};x`,
    `/hooks/${token}%00`,
    `/../hooks/${token}`,
    '/metrics',
    '/v1/balances',
  ];
}
