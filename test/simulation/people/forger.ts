import type { World } from '../../../src/simulator/world/world.ts';
import type { Transaction } from '../../../src/wire/transaction.ts';
import { Chance } from '../seeded-draws.ts';
import type { EventLog } from '../event-log.ts';
import { ForgedBodies, type Body } from './forged-bodies.ts';
import {
  FALSE_WEBHOOKS,
  type Forgery,
  type FalseWebhook,
  type FalseWebhookKind,
} from './forgery.ts';
import { DIED } from '../product/process-state.ts';
import type { Product } from '../product/product.ts';
import { positionOf, type CustodySetup } from './custody-setup.ts';

/** False webhooks that name a deposit's hash. The deposit stays correct, or is corrected. */
const UNEXCUSED: ReadonlySet<FalseWebhookKind> = new Set<FalseWebhookKind>([
  'other amount',
  'other amount, huge depth',
  'other id first',
  'other asset',
  'called change',
  'entries elsewhere',
  'other attribution',
  'own transaction over a deposit',
  'own transaction, other hash',
]);

/** Events that end a transaction, and report no balance changes. */
const ENDS = ['failed', 'cancelled', 'rolledback', 'replaced'] as const;

/** Made-up transactions over one deposit at once: few enough to be looked up at rest. */
const FORGERIES_MAX = 12;

/** Somebody who knows the webhook's secret URL, all ids and hashes, and lies. */
export class Forger {
  readonly falseWebhooks: FalseWebhook[] = [];
  readonly #world: World;
  readonly #product: Product;
  readonly #custodySetup: CustodySetup;
  readonly #chance: Chance;
  readonly #bodies: ForgedBodies;
  readonly #log: EventLog;
  readonly #acknowledged: () => readonly Uint8Array[];
  #forged = 0;

  constructor(options: {
    world: World;
    product: Product;
    custodySetup: CustodySetup;
    seed: number;
    log: EventLog;
    acknowledged: () => readonly Uint8Array[];
  }) {
    this.#world = options.world;
    this.#product = options.product;
    this.#custodySetup = options.custodySetup;
    this.#chance = new Chance(options.seed, 'forger');
    this.#bodies = new ForgedBodies({
      custodySetup: options.custodySetup,
      chance: this.#chance,
      now: () => options.product.now(),
    });
    this.#log = options.log;
    this.#acknowledged = options.acknowledged;
  }

  /** Sends a false webhook, or a few of one kind, and records what the product may keep. */
  async falseWebhook(): Promise<void> {
    const kind = this.#chance.weighted(FALSE_WEBHOOKS);
    if (kind !== 'own transaction over a deposit') return this.#forge(kind);
    // One would be refuted by a look-up of its own, before its hash is asked for.
    const deposit = this.#someDeposit();
    const count = this.#chance.between(1, FORGERIES_MAX);
    for (let sent = 0; sent < count; sent += 1) await this.#forge(kind, deposit);
  }

  async #forge(kind: FalseWebhookKind, deposit?: Transaction): Promise<void> {
    this.#forged += 1;
    const composed = this.#compose(kind, `forged-${this.#forged}`, deposit);
    if (composed === undefined) return;
    const { body, leaves, alsoAbout = null } = composed;
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const status = await this.#product.deliver(bytes);
    this.#log.add(`forged ${kind}: ${status} ${bytes.toString().slice(0, 300)}`);
    if (status === 503 && !this.#product.mayKeepRefused) return;
    const text = (name: string): string | null => {
      const value = typeof body === 'string' ? undefined : body[name];
      return typeof value === 'string' ? value : null;
    };
    this.falseWebhooks.push({
      kind,
      hashes: [text('blockchainHash'), alsoAbout].filter((hash) => hash !== null),
      transactionId: text('transactionId'),
      id: text('id') ?? '',
      leaves: status === DIED || status === 503 ? null : leaves,
      excuses: !UNEXCUSED.has(kind),
    });
  }

  /** `deposit`: one that the lie is about, where it must be a certain one. */
  #compose(kind: FalseWebhookKind, id: string, deposit?: Transaction): Forgery | undefined {
    switch (kind) {
      case 'unknown hash':
        return {
          body: { ...this.#bodies.deposit(id), transactionId: `nobody-${id}` },
          leaves: 'unknown_to_custody',
        };
      case 'unknown hash, no transaction':
        return { body: this.#bodies.deposit(id), leaves: 'unknown_to_custody' };
      case 'other amount':
      case 'other amount, huge depth':
      case 'other position':
      case 'other asset':
      case 'called change':
      case 'entries elsewhere':
      case 'other attribution':
      case 'rollback':
        return this.#twisted(kind, id);
      case 'other id first':
        return this.#otherIdFirst(id);
      case 'deposit by our own hash':
        return this.#depositByOwnHash(id);
      case 'own transaction of nobody':
        return { body: this.#bodies.mined(id, this.#bodies.hash()), leaves: 'unknown_to_custody' };
      case 'own transaction over a deposit':
        return deposit && this.#overDeposit(id, deposit);
      case 'own transaction, other figures':
      case 'own transaction, other hash':
      case 'own transaction, other end':
        return this.#aboutOwn(kind, id);
      case 'chain movement':
        return { body: this.#bodies.chainMovement(id), leaves: null };
      case 'same id':
        return this.#sameId();
      case 'unknown type':
        return { body: { ...this.#bodies.deposit(id), type: 'teleported' }, leaves: 'quarantined' };
      case 'garbage':
        return { body: `{"id":"${id}","stream":`, leaves: 'malformed' };
      default:
        return kind satisfies never;
    }
  }

  #someDeposit(): Transaction | undefined {
    return this.#chance.pickAny(
      this.#world.transactions({ type: 'incoming', status: 'confirmed' }).data,
    );
  }

  #twisted(
    kind:
      | 'other amount'
      | 'other amount, huge depth'
      | 'other position'
      | 'other asset'
      | 'called change'
      | 'entries elsewhere'
      | 'other attribution'
      | 'rollback',
    id: string,
  ): Forgery | undefined {
    const truth = this.#someDeposit();
    if (truth === undefined) return undefined;
    const { vaultId, accountId, addressId, network, blockchainHash, transactionId, memo } = truth;
    const about = { vaultId, accountId, addressId, network, blockchainHash, transactionId, memo };
    const timestamp = this.#product.now();
    const entries = truth.balanceChanges ?? [];
    const rolledBack = { id, timestamp, stream: 'incoming', type: 'rollback', ...about };
    const body = { ...rolledBack, type: 'confirmation', confirmations: 100 };
    switch (kind) {
      case 'rollback':
        return { body: { ...rolledBack, balanceChanges: entries }, leaves: null };
      case 'other amount':
      case 'other amount, huge depth': {
        const balanceChanges = entries.map(({ asset, amount, tags }) => ({
          asset,
          amount: (BigInt(amount) * 1000n).toString(),
          tags,
        }));
        const confirmations = kind === 'other amount' ? 100 : 1_000_000;
        return { body: { ...body, confirmations, balanceChanges }, leaves: null };
      }
      case 'called change': {
        const balanceChanges = entries.map((entry) => ({ ...entry, tags: ['change'] }));
        return { body: { ...body, balanceChanges }, leaves: null };
      }
      case 'entries elsewhere': {
        const address = { id: `elsewhere-${id}` };
        const balanceChanges = entries.map((entry) => ({ ...entry, address }));
        return { body: { ...body, confirmations: 1_000_000, balanceChanges }, leaves: null };
      }
      case 'other attribution': {
        if (typeof memo !== 'string') return undefined;
        const attribution = { id: 'nobody', memo, name: '', data: {} };
        const balanceChanges = entries.map(({ memoInfo, ...entry }) =>
          memoInfo === undefined ? { ...entry, memoInfo: attribution } : entry,
        );
        return { body: { ...body, confirmations: 1_000_000, balanceChanges }, leaves: null };
      }
      case 'other asset': {
        const [entry] = entries;
        const balanceChanges = [{ asset: `${network}:FORGED`, amount: entry?.amount, tags: [] }];
        return { body: { ...body, balanceChanges }, leaves: null };
      }
      case 'other position': {
        const other = this.#chance.pickAny(
          this.#custodySetup.destinations.filter(
            (one) => one.network.key === network && one.address.addressId !== addressId,
          ),
        );
        if (other === undefined) return undefined;
        const balanceChanges = entries.map(({ asset, amount }) => ({ asset, amount, tags: [] }));
        return { body: { ...body, ...positionOf(other), balanceChanges }, leaves: null };
      }
      default:
        return kind satisfies never;
    }
  }

  /** Somebody pays, and the forger is there before the true notifications, with another id. */
  #otherIdFirst(id: string): Forgery | undefined {
    const destination = this.#chance.pick(this.#custodySetup.destinations);
    const { asset } = this.#chance.pick(destination.network.assets);
    const amount = BigInt(this.#chance.between(1_000_000, 30_000_000));
    const memo = this.#chance.pickAny(destination.memos);
    const output = { addressId: destination.address.addressId, asset, amount };
    const outputs = [memo === undefined ? output : { ...output, memo }];
    const paid = this.#world.deposit({ network: destination.network.key, outputs });
    if (paid.kind === 'refused') return undefined;
    const { blockchainHash } = paid.record;
    const truth = this.#world
      .transactions({ type: 'incoming' })
      .data.find((one) => one.blockchainHash === blockchainHash);
    if (truth === undefined) return undefined;
    const { vaultId, accountId, addressId, network } = truth;
    const balanceChanges = (truth.balanceChanges ?? []).map(({ address, ...entry }) => ({
      ...entry,
      ...(address && { address: { ...address, networkAddress: `false-${id}` } }),
    }));
    return {
      body: {
        id,
        timestamp: this.#product.now(),
        stream: 'incoming',
        type: 'confirmation',
        vaultId,
        accountId,
        addressId,
        network,
        blockchainHash,
        memo: truth.memo,
        transactionId: `nobody-${id}`,
        confirmations: this.#chance.pick([1, 100]),
        balanceChanges,
      },
      leaves: null,
    };
  }

  /** A deposit at an address that one of our own transactions never touched, under its hash. */
  #depositByOwnHash(id: string): Forgery | undefined {
    const own = this.#chance.pickAny(
      this.#world.truthTransactions().filter(({ transactionId }) => transactionId !== null),
    );
    if (own === undefined) return undefined;
    const touched = new Set(own.movements.map(({ addressId }) => addressId));
    const destination = this.#chance.pickAny(
      this.#custodySetup.destinations.filter(
        ({ network, address }) => network.key === own.network && !touched.has(address.addressId),
      ),
    );
    if (destination === undefined) return undefined;
    const { blockchainHash } = own;
    const named = this.#chance.happens(0.5) ? { transactionId: `nobody-${id}` } : {};
    return {
      body: { ...this.#bodies.deposit(id, destination), ...named, blockchainHash },
      leaves: 'unknown_to_custody',
    };
  }

  #overDeposit(id: string, { network, blockchainHash }: Transaction): Forgery {
    return {
      body: { ...this.#bodies.mined(id, String(blockchainHash)), network },
      leaves: 'unknown_to_custody',
    };
  }

  /** A true own transaction in any state, with an event that never happened. */
  #aboutOwn(
    kind:
      | 'own transaction, other figures'
      | 'own transaction, other hash'
      | 'own transaction, other end',
    id: string,
  ): Forgery | undefined {
    const own = this.#chance.pickAny(this.#world.transactions({ type: 'outgoing' }).data);
    if (own === undefined) return undefined;
    const { transactionId, orderId, vaultId, accountId, addressId, network } = own;
    const alsoAbout = own.blockchainHash ?? null;
    const hash = alsoAbout ?? this.#bodies.hash();
    const truly = { transactionId, orderId, vaultId, accountId, addressId, network };
    const body: Body = { ...this.#bodies.mined(id, hash), ...truly };
    switch (kind) {
      case 'own transaction, other figures':
        return { body, leaves: null, alsoAbout };
      case 'own transaction, other hash': {
        const deposit = this.#someDeposit();
        if (deposit === undefined) return undefined;
        const named = { network: deposit.network, blockchainHash: deposit.blockchainHash };
        const unmined = { ...body, balanceChanges: undefined };
        return this.#chance.happens(0.5)
          ? { body: { ...body, ...named }, leaves: null, alsoAbout }
          : { body: { ...unmined, type: 'submitted', ...named }, leaves: null, alsoAbout };
      }
      case 'own transaction, other end': {
        const unmined = { ...body, balanceChanges: undefined };
        const type = this.#chance.pick(ENDS);
        return { body: { ...unmined, type }, leaves: null, alsoAbout };
      }
      default:
        return kind satisfies never;
    }
  }

  /** A true notification's id over another body. */
  #sameId(): Forgery | undefined {
    const known = this.#chance.pickAny(this.#acknowledged());
    if (known === undefined) return undefined;
    const { id } = JSON.parse(Buffer.from(known).toString('utf8')) as { id: string };
    return { body: this.#bodies.deposit(id), leaves: 'id_conflict' };
  }
}
