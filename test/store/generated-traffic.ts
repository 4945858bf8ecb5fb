import type { Choices } from './generated-choices.ts';
import { AT_ADDRESS, change, ETH, Service, type ChangeBody, type WebhookBody } from './webhook.ts';

/** A position as the books name it, e.g. `v1/acc-1/adr-1 ethereum:ETH`, and what it must hold. */
export type Truth = Map<string, bigint>;

/** A small custody service: what it sends, per vault in order, and what is true in the end. */
export interface GeneratedTraffic {
  readonly queues: readonly (readonly WebhookBody[])[];
  readonly books: Truth;
  /** Hashes of own transactions: nothing of theirs may be credited once they are known. */
  readonly ownHashes: ReadonlySet<string>;
  /** Hashes whose receipts are tagged `change`. */
  readonly changeHashes: ReadonlySet<string>;
}

const AMOUNTS = ['7', '60', '100', `1${'0'.repeat(50)}`] as const;
const FEE = 2n;

function add(truth: Truth, position: string, amount: bigint): void {
  truth.set(position, (truth.get(position) ?? 0n) + amount);
}

/** Draws the events of one world: deposits, withdrawals and own transfers, one hash each. */
export class TrafficGenerator {
  readonly #choices: Choices;
  readonly #service = new Service();
  readonly #books: Truth = new Map();
  readonly #own = new Set<string>();
  readonly #change = new Set<string>();

  constructor(from: Choices) {
    this.#choices = from;
  }

  world(): GeneratedTraffic {
    const count = 1 + this.#choices.below(3);
    const stories = Array.from({ length: count }, (_, at) => this.#story(`0xhash${at}`));
    const timeline = this.#choices.interleaved(stories);
    const vaults = ['v1', 'v2'];
    const queues = vaults.map((vault) => timeline.filter(({ vaultId }) => vaultId === vault));
    const books = new Map([...this.#books].filter(([, amount]) => amount !== 0n));
    return { queues, books, ownHashes: this.#own, changeHashes: this.#change };
  }

  #story(hash: string): WebhookBody[] {
    const kind = this.#choices.below(6);
    if (kind === 5) return this.#failures(hash);
    if (kind === 2) return this.#withdrawal(hash);
    if (kind === 4) return this.#strayDebit(hash);
    if (kind === 3) return this.#ownTransfer(hash);
    return this.#deposit(hash);
  }

  /** A hash that pays one or two positions, perhaps rolled back and mined again. */
  #deposit(hash: string): WebhookBody[] {
    const tagged = this.#choices.oneIn(6);
    if (tagged) this.#change.add(hash);
    const receipts = Array.from({ length: 1 + this.#choices.below(2) }, (_, at) => ({
      vaultId: this.#choices.pick(['v1', 'v2']),
      addressId: `adr-${at}`,
      amount: BigInt(this.#choices.pick(AMOUNTS)),
      memo: this.#choices.pick([null, null, 'registered', 'stray'] as const),
      tags: tagged ? ['change'] : [],
    }));
    const epochs = 1 + this.#choices.below(3);
    const events: WebhookBody[] = [];
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      const last = epoch === epochs - 1;
      const gone = !last || this.#choices.oneIn(3);
      // Re-executed in another block, a transaction may move another amount.
      const more = this.#choices.oneIn(4) ? 1n : 0n;
      const climbs = receipts.map((one) =>
        this.#climb(hash, { ...one, amount: one.amount + more }, { gone, first: epoch === 0 }),
      );
      events.push(...this.#choices.interleaved(climbs.map((climb) => climb.events)));
      if (gone) continue;
      for (const climb of climbs.filter(({ mined }) => mined)) {
        add(this.#books, climb.position, climb.amount);
      }
    }
    return events;
  }

  /** What the streams report of one receipt in one epoch. */
  #climb(
    hash: string,
    receipt: {
      vaultId: string;
      addressId: string;
      amount: bigint;
      memo: string | null;
      tags: string[];
    },
    epoch: { gone: boolean; first: boolean },
  ) {
    const { vaultId, addressId, amount, memo, tags } = receipt;
    const attributed = memo === 'registered' ? { memoInfo: { memo } } : {};
    const scope = {
      blockchainHash: hash,
      vaultId,
      addressId,
      transactionId: `${hash}-${addressId}`,
    };
    const saying = (stated: bigint) => ({
      ...scope,
      ...(memo === null ? {} : { memo }),
      balanceChanges: [change(stated, { tags, ...attributed })],
    });
    const counts = [1, 3, 6].filter(() => !this.#choices.oneIn(3));
    // The newest count of an epoch may change the amount: it is the valid one.
    const finalAmount = this.#choices.oneIn(5) ? amount + 5n : amount;
    const reported = saying(amount);
    const events = [
      ...(this.#choices.oneIn(2) ? [this.#service.incoming('mempool', reported)] : []),
      ...counts.map((count) =>
        this.#service.confirmed(count, saying(count === counts.at(-1) ? finalAmount : amount)),
      ),
    ];
    if (epoch.gone && (events.length > 0 || epoch.first)) {
      const rollback = this.#choices.oneIn(2) ? reported : { ...reported, balanceChanges: [] };
      events.push(this.#service.incoming('rollback', rollback));
    }
    const position = [vaultId, 'acc-1', addressId, ...(memo === 'registered' ? [memo] : [])];
    return {
      events,
      mined: counts.length > 0,
      amount: finalAmount,
      position: `${position.join('/')} ${ETH}`,
    };
  }

  /** An own transaction with its ending; its outgoing events arrive in any order. */
  #withdrawal(hash: string): WebhookBody[] {
    this.#own.add(hash);
    const ending = this.#choices.pick(['mined', 'rolledback', 'replaced', 'failed', 'cancelled']);
    const amount = BigInt(this.#choices.pick(AMOUNTS));
    const vaultLevel = this.#choices.oneIn(2);
    const scope = vaultLevel ? {} : AT_ADDRESS;
    const fee = change(-FEE, { ...scope, tags: ['fee'] });
    const balanceChanges: ChangeBody[] = [change(-amount, scope), fee];
    const reported = { blockchainHash: hash, transactionId: `${hash}-wd` };
    const wasMined = ending === 'rolledback' || ending === 'replaced';
    const types = ['submitted', ...(wasMined ? ['mined'] : []), ending];
    const outgoing = this.#choices.shuffled(types).map((type) =>
      this.#service.outgoing(type, {
        ...reported,
        ...(type === 'mined' ? { balanceChanges } : {}),
        ...(type === 'cancelled' ? { blockchainHash: null } : {}),
      }),
    );
    const position = vaultLevel ? `v1 ${ETH}` : `v1/acc-1/adr-1 ${ETH}`;
    if (ending === 'mined') add(this.#books, position, -amount - FEE);
    if (ending === 'failed') add(this.#books, position, -FEE);
    const view = ending === 'failed' ? [fee] : balanceChanges;
    const onChain = ending === 'cancelled' ? [] : [this.#chain(hash, view)];
    const rolledBack = ending === 'rolledback' || ending === 'replaced';
    const undone = rolledBack ? [this.#service.chain('rollback', { blockchainHash: hash })] : [];
    return this.#choices.interleaved([outgoing, [...onChain, ...undone]]);
  }

  /**
   * Two own transactions under one hash, of which one failed or both did: the hash burned its fee
   * once. It may have left the chain, and be mined again with another fee.
   */
  #failures(hash: string): WebhookBody[] {
    this.#own.add(hash);
    const scope = this.#choices.oneIn(2) ? {} : AT_ADDRESS;
    const ending = this.#choices.pick(['failed', 'failed', 'mined', 'replaced', 'rolledback']);
    const transfer = change(-BigInt(this.#choices.pick(AMOUNTS)), scope);
    const fees = this.#choices.pick([[FEE], [FEE, null], [FEE, null, 3n], [FEE, null, FEE]]);
    const viewOf = (fee: bigint): ChangeBody[] => [
      ...(ending === 'mined' ? [transfer] : []),
      change(-fee, { ...scope, tags: ['fee'] }),
    ];
    const onChain = fees.map((fee) =>
      fee === null
        ? this.#service.chain('rollback', { blockchainHash: hash })
        : this.#chain(hash, viewOf(fee)),
    );
    const last = fees.at(-1) ?? null;
    const outgoing = ['-wd', '-twin'].map((name, at) => {
      const types = at === 0 ? ['failed'] : new Set(['failed', ending]);
      return this.#choices.shuffled([...types]).map((type) =>
        this.#service.outgoing(type, {
          blockchainHash: hash,
          transactionId: `${hash}${name}`,
          ...(type === 'mined' ? { balanceChanges: viewOf(last ?? FEE) } : {}),
        }),
      );
    });
    const position = scope === AT_ADDRESS ? `v1/acc-1/adr-1 ${ETH}` : `v1 ${ETH}`;
    const isBooked = last !== null || ending === 'mined';
    if (isBooked) {
      for (const { amount } of viewOf(last ?? FEE)) add(this.#books, position, BigInt(amount));
    }
    return this.#choices.interleaved([...outgoing, onChain]);
  }

  #chain(hash: string, balanceChanges: readonly ChangeBody[]): WebhookBody {
    return this.#service.chain('transaction', { blockchainHash: hash, balanceChanges });
  }

  /** Funds that leave without an own transaction: only the chain view has it. */
  #strayDebit(hash: string): WebhookBody[] {
    const gone = change(`-${this.#choices.pick(AMOUNTS)}`, AT_ADDRESS);
    return [this.#chain(hash, [gone])];
  }

  /** From one vault into the other: debits here, its own `incoming` there. */
  #ownTransfer(hash: string): WebhookBody[] {
    this.#own.add(hash);
    const amount = BigInt(this.#choices.pick(AMOUNTS));
    const mined = this.#service.outgoing('mined', {
      blockchainHash: hash,
      transactionId: `${hash}-wd`,
      balanceChanges: [change(-amount, AT_ADDRESS), change(-FEE, { ...AT_ADDRESS, tags: ['fee'] })],
    });
    const landed = {
      blockchainHash: hash,
      vaultId: 'v2',
      addressId: 'adr-9',
      transactionId: `${hash}-in`,
      balanceChanges: [change(amount)],
    };
    add(this.#books, `v1/acc-1/adr-1 ${ETH}`, -amount - FEE);
    add(this.#books, `v2/acc-1/adr-9 ${ETH}`, amount);
    const climb = [1, 6].map((count) => this.#service.confirmed(count, landed));
    return this.#choices.interleaved([[mined], climb]);
  }
}
