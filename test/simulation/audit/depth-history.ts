/** An item of the feed, as far as its depth matters. */
interface Item {
  readonly feedSeq: number;
  readonly item: {
    readonly creditId: string;
    readonly deposit: { readonly blockchainHash: string };
  };
}

/** The feed as an API reader sees it. */
interface Feed {
  credits(after: number, limit: number): Promise<readonly Item[]>;
}

/** The depth of a transaction, as the chain counts it. */
interface TrueDepth {
  readonly blockchainHash: string;
  readonly status: string;
  readonly confirmations: number;
}

const PAGE = 1_000;

/**
 * How deep each hash got in each of its stays in a block, and how deep it had got when each credit
 * was appended. A stay ends when a reorganisation takes the hash out of its block.
 */
export class DepthHistory {
  /** The deepest count of each stay of a hash in a block. */
  readonly #stays = new Map<string, number[]>();
  readonly #mined = new Set<string>();
  readonly #atCredit = new Map<string, readonly number[]>();
  #cursor = 0;

  /** By credit id: the depth of each stay of its hash until the credit was appended. */
  get atCredit(): ReadonlyMap<string, readonly number[]> {
    return this.#atCredit;
  }

  /** Looks at the chains. Must follow everything that happens there, or a stay goes unseen. */
  watch(transactions: Iterable<TrueDepth>): void {
    for (const { blockchainHash: hash, status, confirmations } of transactions) {
      const stays = this.#stays.get(hash) ?? [0];
      if (status === 'confirmed') this.#mined.add(hash);
      else if (this.#mined.delete(hash)) stays.push(0);
      stays.push(Math.max(stays.pop() ?? 0, confirmations));
      this.#stays.set(hash, stays);
    }
  }

  /** Looks at the items that the feed has got since the last look. */
  async look(feed: Feed): Promise<void> {
    const items = await feed.credits(this.#cursor, PAGE);
    for (const { feedSeq, item } of items) {
      this.#cursor = feedSeq;
      const stays = this.#stays.get(item.deposit.blockchainHash) ?? [];
      this.#atCredit.set(item.creditId, [...stays]);
    }
  }
}
