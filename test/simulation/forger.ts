import type { World } from '../../src/simulator/world/world.ts';
import type { Transaction } from '../../src/wire/transaction.ts';
import { Chance } from './chance.ts';
import type { EventLog } from './event-log.ts';
import { DIED, type Product } from './product.ts';
import type { Scenery } from './scenery.ts';

/** Something that was told to the product and is not so. */
export interface Lie {
  readonly kind: keyof typeof KINDS;
  readonly network: string | null;
  readonly blockchainHash: string | null;
  /** The forged notification's own id. */
  readonly id: string;
  /**
   * The break that must be on record whatever happens later, when the product has said that it took
   * the lie; null: only as long as the lie makes a difference.
   */
  readonly leaves: string | null;
}

const KINDS = {
  'unknown hash': 5,
  'unknown hash, no transaction': 3,
  'other amount': 4,
  'other position': 4,
  'other asset': 4,
  rollback: 3,
  'own transaction of nobody': 3,
  'own transaction over a deposit': 2,
  'chain movement': 3,
  'same id': 3,
  'unknown type': 2,
  garbage: 2,
} as const;

/** Lies that the product takes without a word so far: told only on request, until it notices them. */
const UNNOTICED: ReadonlySet<string> = new Set<keyof typeof KINDS>([
  'own transaction of nobody',
  'own transaction over a deposit',
]);

type Body = Record<string, unknown> & { readonly id: string };

/** Somebody who knows the webhook's secret URL, all ids and hashes, and lies. */
export class Forger {
  readonly lies: Lie[] = [];
  readonly #world: World;
  readonly #product: Product;
  readonly #scenery: Scenery;
  readonly #chance: Chance;
  readonly #log: EventLog;
  readonly #acknowledged: () => readonly Uint8Array[];
  readonly #everyLie: boolean;
  #forged = 0;

  constructor(options: {
    world: World;
    product: Product;
    scenery: Scenery;
    seed: number;
    log: EventLog;
    acknowledged: () => readonly Uint8Array[];
    /** Also those that are known to go unnoticed. */
    everyLie: boolean;
  }) {
    this.#everyLie = options.everyLie;
    this.#world = options.world;
    this.#product = options.product;
    this.#scenery = options.scenery;
    this.#chance = new Chance(options.seed, 'forger');
    this.#log = options.log;
    this.#acknowledged = options.acknowledged;
  }

  /** Tells one lie; what the product may have taken is on record as one. */
  async lie(): Promise<void> {
    const kind = this.#chance.weighted(KINDS);
    if (UNNOTICED.has(kind) && !this.#everyLie) return;
    const told = this.#compose(kind);
    if (told === undefined) return;
    const { body, leaves } = told;
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const status = await this.#product.deliver(bytes);
    this.#log.add(`forged ${kind}: ${status} ${bytes.toString().slice(0, 300)}`);
    if (status === 503) return;
    const text = (name: string): string | null => {
      const value = typeof body === 'string' ? undefined : body[name];
      return typeof value === 'string' ? value : null;
    };
    this.lies.push({
      kind,
      network: text('network'),
      blockchainHash: text('blockchainHash'),
      id: text('id') ?? '',
      leaves: status === DIED ? null : leaves,
    });
  }

  #compose(kind: keyof typeof KINDS): { body: Body | string; leaves: string | null } | undefined {
    this.#forged += 1;
    const id = `forged-${this.#forged}`;
    switch (kind) {
      case 'unknown hash':
        return {
          body: { ...this.#deposit(id), transactionId: `nobody-${id}` },
          leaves: 'unknown_to_custody',
        };
      case 'unknown hash, no transaction':
        return { body: this.#deposit(id), leaves: 'unknown_to_custody' };
      case 'other amount':
      case 'other position':
      case 'other asset':
      case 'rollback':
        return this.#twisted(kind, id);
      case 'own transaction of nobody':
        return { body: this.#mined(id, `0x${this.#chance.hex(64)}`), leaves: null };
      case 'own transaction over a deposit': {
        const truth = this.#someDeposit();
        if (truth === undefined) return undefined;
        const body = this.#mined(id, String(truth.blockchainHash));
        return { body: { ...body, network: truth.network }, leaves: null };
      }
      case 'chain movement':
        return { body: this.#chainMovement(id), leaves: null };
      case 'same id':
        return this.#sameId();
      case 'unknown type': {
        const body = { ...this.#deposit(id), type: 'teleported' };
        return { body, leaves: 'quarantined' };
      }
      case 'garbage':
        return { body: `{"id":"${id}","stream":`, leaves: 'malformed' };
      default:
        return kind satisfies never;
    }
  }

  #deposit(id: string): Body {
    const place = this.#chance.pick(this.#scenery.places);
    const { asset } = this.#chance.pick(place.network.assets);
    return {
      id,
      timestamp: this.#product.now(),
      stream: 'incoming',
      type: 'confirmation',
      vaultId: place.vault.vaultId,
      accountId: place.address.accountId,
      addressId: place.address.addressId,
      network: place.network.key,
      blockchainHash: `0x${this.#chance.hex(64)}`,
      confirmations: 100,
      balanceChanges: [
        { asset, amount: String(this.#chance.between(1, this.#chance.pick([999, 1e9]))), tags: [] },
      ],
    };
  }

  #someDeposit(): Transaction | undefined {
    return this.#chance.pickAny(
      this.#world.transactions({ type: 'incoming', status: 'confirmed' }).data,
    );
  }

  #twisted(
    kind: 'other amount' | 'other position' | 'other asset' | 'rollback',
    id: string,
  ): { body: Body; leaves: string | null } | undefined {
    const truth = this.#someDeposit();
    if (truth === undefined) return undefined;
    const { vaultId, accountId, addressId, network, blockchainHash, transactionId, memo } = truth;
    const body: Body = {
      id,
      timestamp: this.#product.now(),
      stream: 'incoming',
      type: kind === 'rollback' ? 'rollback' : 'confirmation',
      vaultId,
      accountId,
      addressId,
      network,
      blockchainHash,
      transactionId,
      memo,
      ...(kind === 'rollback' ? {} : { confirmations: 100 }),
      balanceChanges: truth.balanceChanges,
    };
    const entries = truth.balanceChanges ?? [];
    switch (kind) {
      case 'rollback':
        return { body, leaves: null };
      case 'other amount': {
        const balanceChanges = entries.map((entry) => ({
          asset: entry.asset,
          amount: (BigInt(entry.amount) * 1000n).toString(),
          tags: entry.tags,
        }));
        return { body: { ...body, balanceChanges }, leaves: null };
      }
      case 'other asset': {
        const [entry] = entries;
        const balanceChanges = [{ asset: `${network}:FORGED`, amount: entry?.amount, tags: [] }];
        return { body: { ...body, balanceChanges }, leaves: null };
      }
      case 'other position': {
        const other = this.#chance.pickAny(
          this.#scenery.places.filter(
            (place) => place.network.key === network && place.address.addressId !== addressId,
          ),
        );
        if (other === undefined) return undefined;
        const balanceChanges = entries.map(({ asset, amount }) => ({ asset, amount, tags: [] }));
        const { accountId: account, addressId: address } = other.address;
        const place = { vaultId: other.vault.vaultId, accountId: account, addressId: address };
        return { body: { ...body, ...place, balanceChanges }, leaves: null };
      }
      default:
        return kind satisfies never;
    }
  }

  #mined(id: string, blockchainHash: string): Body {
    const place = this.#chance.pick(this.#scenery.places);
    const { asset } = this.#chance.pick(place.network.assets);
    return {
      id,
      timestamp: this.#product.now(),
      stream: 'outgoing',
      type: 'mined',
      vaultId: place.vault.vaultId,
      transactionId: `nobody-${id}`,
      orderId: `nobody-${id}`,
      accountId: place.address.accountId,
      addressId: place.address.addressId,
      network: place.network.key,
      destinationAddress: 'outside',
      blockchainHash,
      metadata: {},
      balanceChanges: [{ asset, amount: `-${this.#chance.between(1, 1e9)}`, tags: [] }],
    };
  }

  #chainMovement(id: string): Body {
    const { accountId, addressId: _, confirmations: __, ...deposit } = this.#deposit(id);
    const sign = this.#chance.pick(['', '-']);
    const balanceChanges = (deposit['balanceChanges'] as { asset: string; amount: string }[]).map(
      (entry) => ({ ...entry, amount: `${sign}${entry.amount}`, account: { id: accountId } }),
    );
    return { ...deposit, id, stream: 'blockchain', type: 'transaction', balanceChanges };
  }

  /** A true notification's id over another body. */
  #sameId(): { body: Body; leaves: string } | undefined {
    const known = this.#chance.pickAny(this.#acknowledged());
    if (known === undefined) return undefined;
    const { id } = JSON.parse(Buffer.from(known).toString('utf8')) as { id: string };
    return { body: this.#deposit(id), leaves: 'id_conflict' };
  }
}
