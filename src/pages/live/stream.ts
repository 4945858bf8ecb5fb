import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Listeners } from './listeners.ts';

/** Most open streams; each holds a connection and a timer. */
const STREAMS_MAX = 200;

/** Shortest time between two events of a stream: a page renders at most this often. */
const REST_MS = 2_000;

/** Proxies cut connections that are silent for a minute. */
const HEARTBEAT_MS = 20_000;

/** Collects topics, and hands them over at most every `REST_MS`. */
class Outbox {
  readonly #topics = new Set<string>();
  #wake: () => void = () => undefined;
  #isClosed = false;

  add(topics: Iterable<string>): void {
    for (const topic of topics) this.#topics.add(topic);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The topics so far: at once when there are any, else at the first or after `ms`. */
  async next(ms: number): Promise<readonly string[]> {
    if (this.#topics.size === 0) await this.#wait(ms, () => true);
    const topics = [...this.#topics];
    this.#topics.clear();
    return topics;
  }

  /** Waits, whatever changes meanwhile. */
  async rest(ms: number): Promise<void> {
    await this.#wait(ms, () => this.#isClosed);
  }

  /** Waits until a change that ends the wait. A closed stream waits for nothing. */
  async #wait(ms: number, ends: () => boolean): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!ends()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function send(
  stream: SSEStreamingApi,
  outbox: Outbox,
  isAllowed: () => boolean,
): Promise<void> {
  await stream.writeSSE({ event: 'hello', data: '' });
  while (!outbox.isClosed) {
    const topics = await outbox.next(HEARTBEAT_MS);
    if (outbox.isClosed) return;
    if (!isAllowed()) {
      await stream.writeSSE({ event: 'ended', data: '' });
      return;
    }
    const event = topics.length === 0 ? 'heartbeat' : 'changed';
    await stream.writeSSE({ event, data: topics.join(' ') });
    await outbox.rest(REST_MS);
  }
}

/**
 * The stream of an open page: `changed` with topics, and a heartbeat, which also reaches pages that
 * show ages. `isAllowed`: whether the session still holds; without it the stream says `ended`.
 */
export function liveStream(
  context: Context,
  changes: Listeners,
  isAllowed: () => boolean,
): Response {
  if (changes.listening >= STREAMS_MAX) {
    return context.text('Too many pages are open: this one does not update by itself.', 503);
  }
  return streamSSE(context, async (stream) => {
    const outbox = new Outbox();
    const stop = changes.listen(
      (topics) => outbox.add(topics),
      () => outbox.close(),
    );
    stream.onAbort(() => outbox.close());
    try {
      await send(stream, outbox, isAllowed);
    } finally {
      stop();
    }
  });
}
