import { pause } from './traffic.ts';
import { ProductUnreachable, type Product } from './product.ts';

interface Feed {
  readonly data: readonly {
    readonly seq: number;
    readonly creditId: string;
    readonly kind: string;
  }[];
  readonly next: number;
}

const WAIT_SECONDS = 2;
const RETRY_MS = 300;

/**
 * What an exchange would write against the credit feed: long-poll from the last place it stored,
 * acknowledge every credit with its own reference, and go on after a failure where it was.
 */
export async function consumeCredits(product: Product, signal: AbortSignal): Promise<void> {
  let after = 0;
  while (!signal.aborted) {
    try {
      const feed = await product.get<Feed>(`/v1/credits?after=${after}&wait=${WAIT_SECONDS}`);
      for (const item of feed.data) {
        if (item.kind === 'credit') await acknowledge(product, item.creditId);
      }
      after = feed.next;
    } catch (error) {
      if (!(error instanceof ProductUnreachable)) throw error;
      await pause(RETRY_MS, signal);
    }
  }
}

async function acknowledge(product: Product, creditId: string): Promise<void> {
  try {
    await product.post(`/v1/credits/${creditId}/ack`, { reference: `demo-${creditId}` });
  } catch (error) {
    // Reversed between the feed and the acknowledgement: the reversal is next in the feed.
    if (error instanceof ProductUnreachable) throw error;
  }
}
