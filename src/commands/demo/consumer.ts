import { ProductRefused, ProductUnreachable, type ProductApi } from './product-api.ts';
import { pause } from './traffic.ts';

interface Feed {
  readonly data: readonly {
    readonly seq: number;
    readonly creditId: string;
    readonly kind: string;
  }[];
  readonly next: number;
}

/** What became of the feed's credits at the consumer. */
export interface Consumed {
  readonly acknowledged: number;
  /** Reversed before they were acknowledged, or acknowledged by somebody else. */
  readonly refused: number;
}

const WAIT_SECONDS = 2;
const RETRY_MS = 300;

/**
 * What an exchange would write against the credit feed: long-poll from the last place it stored,
 * acknowledge every credit with its own reference, and go on after a failure where it was. Ends with
 * the signal, after what it was given until then.
 */
export async function consumeCredits(api: ProductApi, signal: AbortSignal): Promise<Consumed> {
  // Sets: after a failure the same items come again.
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
      await pause(RETRY_MS, signal);
    }
  }
  return { acknowledged: acknowledged.size, refused: refused.size };
}

/** False where the credit does not wait for it any more: a reversal is next in the feed. */
async function acknowledge(api: ProductApi, creditId: string): Promise<boolean> {
  try {
    // As the README's program does, so that it can run beside this one: a repeat is no conflict.
    await api.post(`/v1/credits/${creditId}/ack`, { reference: `booking-${creditId}` });
    return true;
  } catch (error) {
    if (error instanceof ProductRefused && error.status === 409) return false;
    throw error;
  }
}
