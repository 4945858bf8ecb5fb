import { ProductRefused, ProductUnreachable, type ProductApi } from '../product-api.ts';
import { systemClock } from '../../../custody/clock.ts';

interface Feed {
  readonly data: readonly {
    readonly seq: number;
    readonly creditId: string;
    readonly kind: string;
  }[];
  readonly next: number;
}

/** What the consumer did with the feed's credits. */
export interface Consumed {
  readonly acknowledged: number;
  /** Reversed before they were acknowledged, or acknowledged by somebody else. */
  readonly refused: number;
}

const WAIT_SECONDS = 2;
const RETRY_MS = 300;

/**
 * A consumer of the credit feed, as an exchange would write it. Long-polls from its last cursor,
 * acknowledges every credit with its own reference, and continues at its cursor after a failure.
 * Ends with the signal, after the items received until then.
 */
export async function consumeCredits(api: ProductApi, signal: AbortSignal): Promise<Consumed> {
  // Sets, because items repeat after a failure.
  const acknowledged = new Set<string>();
  const refused = new Set<string>();
  let after = 0;
  while (!signal.aborted) {
    try {
      const feed = await api.get<Feed>(`/v1/credits?after=${after}&wait=${WAIT_SECONDS}`);
      for (const { kind, creditId } of feed.data) {
        if (kind !== 'credit') continue;
        ((await acknowledge(api, creditId)) ? acknowledged : refused).add(creditId);
      }
      after = feed.next;
    } catch (error) {
      if (!(error instanceof ProductUnreachable)) throw error;
      await systemClock.sleep(RETRY_MS, signal);
    }
  }
  return { acknowledged: acknowledged.size, refused: refused.size };
}

/** False when the credit needs no acknowledgement any more: its reversal is next in the feed. */
async function acknowledge(api: ProductApi, creditId: string): Promise<boolean> {
  try {
    // The same reference as in docs/how-to/read-the-credit-feed.md, so that both consumers can run
    // side by side: a repeated acknowledgement is no conflict.
    await api.post(`/v1/credits/${creditId}/ack`, { reference: `booking-${creditId}` });
    return true;
  } catch (error) {
    if (error instanceof ProductRefused && error.status === 409) return false;
    throw error;
  }
}
