import { z } from 'zod';
import type { ProductApi } from '../product-api.ts';
import type { AnsweredDelivery } from './proxy.ts';

const PAGE_SIZE = 1_000;

const sent = z.object({ id: z.string() });
const answered = z.object({ status: z.string() });

/** The deliveries that receivers have acknowledged, as their sender sees it. */
export class Acknowledgements {
  readonly #statuses = new Map<string, string>();
  readonly #forgotten = new Set<string>();
  #awaited: { readonly sinceMs: number; readonly come: () => void } | null = null;

  /** How many notifications were acknowledged at least once. */
  get count(): number {
    return this.#statuses.size;
  }

  take({ beganAtMs, status, body, answer }: AnsweredDelivery): void {
    if (status !== 200) return;
    const { id } = sent.parse(JSON.parse(body.toString('utf8')));
    const outcome = answered.parse(JSON.parse(answer.toString('utf8'))).status;
    // The journal had the first one, so a second one must count as a duplicate.
    if (outcome === 'accepted' && this.#statuses.has(id)) this.#forgotten.add(id);
    this.#statuses.set(id, outcome);
    if (this.#awaited !== null && beganAtMs > this.#awaited.sinceMs) this.#awaited.come();
  }

  /**
   * Resolves with true at the next acknowledgement of a delivery that begins after this call, and
   * with false when the signal aborts before. One caller at a time.
   */
  async next(over: AbortSignal): Promise<boolean> {
    if (over.aborted) return false;
    const isCome = await new Promise<boolean>((resolve) => {
      this.#awaited = { sinceMs: performance.now(), come: () => resolve(true) };
      over.addEventListener('abort', () => resolve(false), { once: true });
    });
    this.#awaited = null;
    return isCome;
  }

  /** Ids of notifications that were acknowledged and that the journal lacks, or lacked for a time. */
  async lost(api: ProductApi): Promise<readonly string[]> {
    const kept = new Set<string>();
    for (let page = 0; ; page += 1) {
      const { data } = await api.get<{ data: readonly { id: string }[] }>(
        `/v1/notifications?page=${page}&pageSize=${PAGE_SIZE}`,
      );
      for (const { id } of data) kept.add(id);
      if (data.length === 0) break;
    }
    const missing = [...this.#statuses.keys()].filter((id) => !kept.has(id));
    return [...new Set([...missing, ...this.#forgotten])];
  }
}
