import { negated, plus, ZERO, type Amount } from './amount.ts';
import type { EntryCause, View } from './entry.ts';
import type { AssetId, TransactionId, VaultId } from '../ids.ts';
import type { ChangeKind } from '../fact/notification.ts';

/**
 * Categories of a statement. Each amount is signed as it moves the balance. Opening plus all eight
 * is exactly closing, because every line of every entry falls into one category.
 */
export const CATEGORIES = [
  'deposits',
  'withdrawals',
  'fees',
  'rebates',
  'mints',
  'internal',
  'change',
  'adjustments',
] as const;
export type Category = (typeof CATEGORIES)[number];
export type Effects = Readonly<Record<Category, Amount>>;

export const NO_EFFECTS: Effects = {
  deposits: ZERO,
  withdrawals: ZERO,
  fees: ZERO,
  rebates: ZERO,
  mints: ZERO,
  internal: ZERO,
  change: ZERO,
  adjustments: ZERO,
};

/** One line of an entry on a custody position. */
export interface PositionLine {
  readonly entryId: number;
  readonly seq: number;
  readonly view: View;
  readonly cause: EntryCause;
  readonly reverses: number | null;
  readonly transactionId: TransactionId | null;
  /** Unix milliseconds at which its fact was recorded. */
  readonly postedAt: number;
  readonly vaultId: VaultId;
  readonly asset: AssetId;
  readonly change: ChangeKind;
  readonly amount: Amount;
}

/** A leg of an own movement whose other leg is not in the books yet. */
export interface InTransit {
  readonly kind: 'internal' | 'change';
  /** The leg that is in the books. */
  readonly leg: 'debit' | 'credit';
  readonly vaultId: VaultId;
  readonly asset: AssetId;
  /** Signed as it moves the vault's balance. */
  readonly amount: Amount;
}

/** A known credit on an own position that is not in the books yet. */
export interface AwaitedCredit {
  readonly kind: InTransit['kind'];
  /** The vault whose debit pays it: always known for change, otherwise only from a closed day. */
  readonly from?: VaultId;
  readonly asset: AssetId;
  readonly amount: Amount;
}

/** Where the movements of a hash come from, as far as its lines in the books do not show it. */
export interface HashOrigin {
  /** An own transaction has this hash, so its receipts come from own vaults. */
  readonly own: boolean;
  readonly awaited: readonly AwaitedCredit[];
}

/** One vault and asset: a row of a statement. */
export interface VaultAsset {
  readonly vaultId: VaultId;
  readonly asset: AssetId;
}

/** A text key of a vault and asset, for maps. */
export function vaultAssetKey({ vaultId, asset }: VaultAsset): string {
  return `${vaultId}\u0000${asset}`;
}

/** Sums of amounts by vault and asset, in order of first appearance. */
export function sumsByVaultAsset(
  parts: readonly (VaultAsset & { readonly amount: Amount })[],
): (VaultAsset & { readonly amount: Amount })[] {
  const sums = new Map<string, VaultAsset & { readonly amount: Amount }>();
  for (const { vaultId, asset, amount } of parts) {
    const key = vaultAssetKey({ vaultId, asset });
    sums.set(key, { vaultId, asset, amount: plus(sums.get(key)?.amount ?? ZERO, amount) });
  }
  return [...sums.values()];
}

/** Effects by vault and asset, in order of first appearance. */
export class Totals {
  readonly #rows = new Map<
    string,
    { readonly vaultAsset: VaultAsset; readonly effects: Record<Category, Amount> }
  >();

  add(vaultAsset: VaultAsset, category: Category, amount: Amount): void {
    const { vaultId, asset } = vaultAsset;
    const key = vaultAssetKey(vaultAsset);
    let known = this.#rows.get(key);
    if (known === undefined) {
      known = { vaultAsset: { vaultId, asset }, effects: { ...NO_EFFECTS } };
      this.#rows.set(key, known);
    }
    // Mutable: a day of a million lines adds many times to each row.
    known.effects[category] = plus(known.effects[category], amount);
  }

  /** Adds all effects of one vault and asset, or subtracts them. */
  move(
    { vaultAsset, effects }: { vaultAsset: VaultAsset; effects: Effects },
    sign: 1n | -1n,
  ): void {
    for (const category of CATEGORIES) {
      const amount = effects[category];
      if (amount !== ZERO) this.add(vaultAsset, category, sign === 1n ? amount : negated(amount));
    }
  }

  effects(vaultAsset: VaultAsset): Effects {
    return this.#rows.get(vaultAssetKey(vaultAsset))?.effects ?? NO_EFFECTS;
  }

  rows(): readonly { readonly vaultAsset: VaultAsset; readonly effects: Effects }[] {
    return [...this.#rows.values()];
  }
}

/** One hash's lines in the books, by category. */
export interface Classified {
  readonly totals: Totals;
  readonly inTransit: readonly InTransit[];
}

/** The legs of one hash and asset by vault: received, given, and returned as change. */
interface Legs {
  readonly received: Map<VaultId, Amount>;
  readonly given: Map<VaultId, Amount>;
  readonly change: Map<VaultId, Amount>;
}

function addTo(sums: Map<VaultId, Amount>, vaultId: VaultId, amount: Amount): void {
  sums.set(vaultId, plus(sums.get(vaultId) ?? ZERO, amount));
}

/** The category of a line that does not depend on other lines; undefined for transfer legs. */
function plainCategory({ cause, change }: PositionLine): Category | undefined {
  if (cause === 'suspense') return 'adjustments';
  switch (change) {
    case 'fee':
      return 'fees';
    case 'rebate':
      return 'rebates';
    case 'mint':
      return 'mints';
    case 'change':
      return cause === 'incoming' ? undefined : 'change';
    case 'transfer':
      return undefined;
    default:
      return change satisfies never;
  }
}

function legsOf(lines: readonly PositionLine[], totals: Totals): Map<AssetId, Legs> {
  const legs = new Map<AssetId, Legs>();
  for (const line of lines) {
    const plain = plainCategory(line);
    if (plain !== undefined) {
      totals.add(line, plain, line.amount);
      continue;
    }
    const known = legs.get(line.asset) ?? {
      received: new Map<VaultId, Amount>(),
      given: new Map<VaultId, Amount>(),
      change: new Map<VaultId, Amount>(),
    };
    legs.set(line.asset, known);
    const leg = line.cause === 'incoming' ? 'received' : 'given';
    addTo(line.change === 'change' ? known.change : known[leg], line.vaultId, line.amount);
  }
  return legs;
}

/** The remainder of each debit that can still pay own receipts, in a fixed order. */
class Debits {
  readonly #left: Map<VaultId, Amount>;

  constructor(given: ReadonlyMap<VaultId, Amount>) {
    this.#left = new Map(
      [...given]
        .map(([vaultId, amount]): [VaultId, Amount] => [vaultId, negated(amount)])
        .filter(([, amount]) => amount > ZERO)
        .sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  }

  /** Takes up to `wanted` from one vault's debit, or from all. Returns the part per vault. */
  take(wanted: Amount, only?: VaultId): [VaultId, Amount][] {
    const taken: [VaultId, Amount][] = [];
    let missing = wanted;
    for (const [vaultId, left] of this.#left) {
      if (missing <= ZERO) break;
      if (only !== undefined && only !== vaultId) continue;
      const part = left < missing ? left : missing;
      this.#left.set(vaultId, plus(left, negated(part)));
      missing = plus(missing, negated(part));
      taken.push([vaultId, part]);
    }
    return taken;
  }
}

/** Moves the part that debits pay for an own credit from withdrawals to the credit's category. */
function payFrom(
  debits: Debits,
  credit: AwaitedCredit,
  totals: Totals,
): readonly [VaultId, Amount][] {
  const { kind, asset, amount, from } = credit;
  const parts = debits.take(amount, from);
  for (const [vaultId, part] of parts) {
    totals.add({ vaultId, asset }, kind, negated(part));
    totals.add({ vaultId, asset }, 'withdrawals', part);
  }
  return parts;
}

/**
 * Sorts one hash's lines of the books into categories.
 *
 * A debit of an own transaction pays, in this order: change to another address of the same vault,
 * receipts in own vaults (internal), own credits that are not in the books yet, and the outside
 * world (withdrawals). Once both legs are in the books, internal sums to zero over the vaults and
 * change within each vault. Until then the known leg is in transit.
 */
export function classify(lines: readonly PositionLine[], origin: HashOrigin): Classified {
  const totals = new Totals();
  const inTransit: InTransit[] = [];
  for (const [asset, { received, given, change }] of legsOf(lines, totals)) {
    const debits = new Debits(given);
    for (const [vaultId, amount] of given) totals.add({ vaultId, asset }, 'withdrawals', amount);
    const allocate = (kind: InTransit['kind'], vaultId: VaultId, amount: Amount): void => {
      totals.add({ vaultId, asset }, kind, amount);
      const from = kind === 'change' ? { from: vaultId } : {};
      const parts = payFrom(debits, { kind, asset, amount, ...from }, totals);
      const open = parts.reduce((left, [, part]) => plus(left, negated(part)), amount);
      if (open !== ZERO) inTransit.push({ kind, leg: 'credit', vaultId, asset, amount: open });
    };
    for (const [vaultId, amount] of change) allocate('change', vaultId, amount);
    for (const [vaultId, amount] of received) {
      if (origin.own) allocate('internal', vaultId, amount);
      else totals.add({ vaultId, asset }, 'deposits', amount);
    }
    for (const credit of origin.awaited.filter((one) => one.asset === asset)) {
      for (const [vaultId, part] of payFrom(debits, credit, totals)) {
        const { kind } = credit;
        inTransit.push({ kind, leg: 'debit', vaultId, asset, amount: negated(part) });
      }
    }
  }
  return { totals, inTransit };
}

/** Whether the line is an own transaction's debit, not a receipt at another position. */
export function isDebitLine({ cause }: PositionLine): boolean {
  return cause === 'mined' || cause === 'failed-fee';
}

/** Lines of active entries: not reversed, and not reversals themselves. */
export function unreversed(lines: readonly PositionLine[]): PositionLine[] {
  const takenBack = new Set(lines.map(({ reverses }) => reverses));
  return lines.filter((line) => line.reverses === null && !takenBack.has(line.entryId));
}

/** The sum of all categories. */
export function sumOf(effects: Effects): Amount {
  return CATEGORIES.reduce((sum, category) => plus(sum, effects[category]), ZERO);
}
