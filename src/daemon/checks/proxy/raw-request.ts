import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Longest wait for an answer: longer than the custody service waits. */
const ANSWER_MS_MAX = 10_500;

/** How much of an answer is read: enough to recognise its author. */
const ANSWER_BYTES_MAX = 65_536;

/** Whom to ask, and with which certificate. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Absent for plain HTTP. */
  readonly tls?: {
    readonly ca?: Buffer;
    readonly cert?: Buffer;
    readonly key?: Buffer;
  };
}

/** How a request ended. */
export interface Ending {
  /** HTTP status; null when nothing came back. */
  readonly status: number | null;
  readonly text: string;
  /** Code of the error that ended the connection, null without one. */
  readonly error: string | null;
  /** Milliseconds until the end. */
  readonly tookMs: number;
  /** Whether the other side was still waiting at the end of our patience. */
  readonly waits: boolean;
}

/**
 * Sends the text of a request unchanged. A client library would correct what this check tries:
 * spellings of the path, repeated headers, bodies that stall. Never rejects. An untrusted server
 * certificate ends the connection with an error.
 */
export function sendRaw({ host, port, tls }: Target, request: string): Promise<Ending> {
  const startedMs = performance.now();
  const servername = /^[0-9.]+$|:/.test(host) ? undefined : host;
  const socket: Socket =
    tls === undefined
      ? connectPlain({ host, port })
      : connectTls({ host, port, ...tls, ...(servername === undefined ? {} : { servername }) });
  let text = '';
  let error: string | null = null;
  let waits = false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waits = true;
      socket.destroy();
    }, ANSWER_MS_MAX);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length >= ANSWER_BYTES_MAX || isComplete(text)) socket.destroy();
    });
    socket.on('error', (reason: NodeJS.ErrnoException) => {
      error ??= reason.code ?? reason.message;
    });
    socket.once('close', () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.[01] ([0-9]{3})\b/.exec(text)?.[1];
      resolve({
        status: status === undefined ? null : Number(status),
        text,
        error,
        tookMs: performance.now() - startedMs,
        waits,
      });
    });
    socket.write(request);
  });
}

/** Whether a whole answer with a known length has come: its author may keep the connection open. */
function isComplete(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd);
  const body = text.slice(headEnd + 4);
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(head) && body.endsWith('0\r\n\r\n');
}
