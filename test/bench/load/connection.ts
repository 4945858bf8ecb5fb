import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** What a server answered. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
}

/** Longer than any answer that a receiver of webhooks gives. */
const ANSWER_BYTES_MAX = 65_536;

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)/i;

/** `HTTP/1.1 200 …`: where the status is. */
const STATUS_FROM = 9;
const STATUS_TO = 12;

/** The body of a chunked answer; null while its last chunk has not come. */
function unchunked(text: string): string | null {
  let body = '';
  for (let at = 0; ;) {
    const sizeEnd = text.indexOf('\r\n', at);
    if (sizeEnd < 0) return null;
    const size = Number.parseInt(text.slice(at, sizeEnd), 16);
    // Also what is no size at all.
    if (!(size > 0)) return text.endsWith(HEAD_END) ? body : null;
    body += text.slice(sizeEnd + 2, sizeEnd + 2 + size);
    at = sizeEnd + 2 + size + 2;
  }
}

/** Reads one answer from the text that has come so far; null while it is not complete. */
function answerIn(text: string): Answer | null {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = text.slice(0, headEnd);
  const status = Number(head.slice(STATUS_FROM, STATUS_TO));
  const rest = text.slice(headEnd + HEAD_END.length);
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length !== undefined) return rest.length < Number(length) ? null : { status, body: rest };
  const body = unchunked(rest);
  return body === null ? null : { status, body };
}

/**
 * A kept-alive HTTP/1.1 connection with at most one request under way, on a bare socket: a load
 * generator shares its machine with what it measures, and a general client costs several times more
 * of it. `onAnswer` may send again at once; `onEnd` comes once, also when connecting failed.
 */
export class Connection {
  /** The next request is written here. It is free again once it has been answered. */
  readonly request: Buffer;
  readonly #socket: Socket;
  readonly #onAnswer: (answer: Answer) => void;
  #received = '';

  constructor(options: {
    host: string;
    port: number;
    /** The client's certificate and key, PEM; null for plain HTTP. */
    pair: { readonly cert: string; readonly key: string } | null;
    requestBytesMax: number;
    onOpen: () => void;
    onAnswer: (answer: Answer) => void;
    onEnd: () => void;
  }) {
    this.request = Buffer.alloc(options.requestBytesMax);
    this.#onAnswer = options.onAnswer;
    const answers = Buffer.alloc(ANSWER_BYTES_MAX);
    const { host, port, pair } = options;
    const given = {
      host,
      port,
      onread: {
        buffer: answers,
        callback: (length: number) => {
          this.#read(answers.toString('latin1', 0, length));
          return true;
        },
      },
    };
    // The generator measures the server that it is given; it does not verify it.
    this.#socket =
      pair === null
        ? connect({ ...given, noDelay: true })
        : connectTls({ ...given, ...pair, rejectUnauthorized: false }).setNoDelay(true);
    this.#socket.once(pair === null ? 'connect' : 'secureConnect', options.onOpen);
    this.#socket.once('close', options.onEnd);
    // `close` follows, and counts what was under way.
    this.#socket.on('error', () => undefined);
  }

  /** Sends the first bytes of `request`. */
  send(bytes: number): void {
    this.#socket.write(this.request.subarray(0, bytes));
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const answer = answerIn(this.#received);
    if (answer === null) return;
    this.#received = '';
    this.#onAnswer(answer);
  }
}
