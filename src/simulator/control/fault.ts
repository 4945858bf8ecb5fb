import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ERROR_CODES } from '../../wire/error.ts';
import { CANCELLATION_REASONS } from '../../wire/event-names.ts';
import type { Table } from '../state/table.ts';

const chance = {
  /** Probability of a strike at each occasion; default 1. */
  probability: z.number().min(0).max(1).exactOptional(),
  /** Largest number of strikes; default: no limit. */
  count: z.int().min(0).exactOptional(),
};

export const DELIVERY_FAULTS = ['duplicate', 'drop-response', 'delay', 'replay-late'] as const;
export const API_FAULTS = [
  'error',
  '429',
  'hang',
  'reset',
  'truncate',
  'stale',
  'omit-balance-changes',
  'page-drift',
] as const;
export const TRANSACTION_FAULTS = ['revert', 'processing', 'pause', 'cancel'] as const;

const deliveryFault = z.strictObject({
  fault: z.enum(DELIVERY_FAULTS),
  vaultId: z.string().exactOptional(),
  stream: z.string().exactOptional(),
  type: z.string().exactOptional(),
  /** Delay in milliseconds, for `delay` and `replay-late`. */
  delayMs: z
    .int()
    .min(0)
    .max(30 * 86_400_000)
    .exactOptional(),
  ...chance,
});
export type DeliveryFault = z.infer<typeof deliveryFault>;

const apiFault = z.strictObject({
  fault: z.enum(API_FAULTS),
  errorCode: z.enum(ERROR_CODES).exactOptional(),
  /** Name of an operation in the OpenAPI document, or `METHOD /path`; default: every operation. */
  operation: z.string().exactOptional(),
  ...chance,
});
type ApiFault = z.infer<typeof apiFault>;
export type StruckApiFault = ApiFault & { readonly strike: number };

const onOrders = {
  vaultId: z.string().exactOptional(),
  network: z.string().exactOptional(),
  ...chance,
};
const reasonCode = z.enum(CANCELLATION_REASONS);
const transactionFault = z.discriminatedUnion('fault', [
  z.strictObject({ fault: z.enum(['revert', 'processing']), ...onOrders }),
  z.strictObject({
    fault: z.literal('pause'),
    reasonCode: reasonCode.default('hosted_singner_unavailable'),
    ...onOrders,
  }),
  z.strictObject({
    fault: z.literal('cancel'),
    reasonCode: reasonCode.default('invalid_order'),
    ...onOrders,
  }),
]);

/** Body of `PUT /sim/faults`: it replaces all faults, so a missing list clears its faults. */
export const faultSet = z.strictObject({
  delivery: z.array(deliveryFault).exactOptional(),
  api: z.array(apiFault).exactOptional(),
  transactions: z.array(transactionFault).exactOptional(),
});
export type FaultSet = z.infer<typeof faultSet>;

/** The lists of a fault set. */
export const FAULT_LISTS = ['delivery', 'api', 'transactions'] as const;
export type FaultList = (typeof FAULT_LISTS)[number];

/** The current faults and the number of strikes of each; one row. */
export interface FaultRow {
  readonly set: FaultSet;
  readonly struck: Readonly<Record<string, number>>;
}
const ROW = 'current';

/**
 * Delivery and API faults. A strike depends on the seed and on the target, not on the order of
 * concurrent deliveries. So the same seed repeats its faults.
 */
export class Faults {
  readonly #table: Table<FaultRow>;
  readonly #seed: string;

  constructor(table: Table<FaultRow>, seed: string) {
    this.#table = table;
    this.#seed = seed;
  }

  replace(set: FaultSet): void {
    this.#table.put(ROW, { set, struck: {} });
  }

  /** How often the fault at this index of a list has struck. */
  strikes(list: 'delivery' | 'api', index: number): number {
    return this.#table.get(ROW)?.struck[`${list}.${index}`] ?? 0;
  }

  /** Adds a fault behind the others, which keep their counts. `set` holds it already. */
  extend(set: FaultSet): void {
    this.#table.put(ROW, { set, struck: this.#table.get(ROW)?.struck ?? {} });
  }

  /** Replaces the set after a fault was taken out of a list. The later ones keep their counts. */
  shorten(set: FaultSet, taken: { list: FaultList; index: number }): void {
    const { list, index } = taken;
    const struck: Record<string, number> = {};
    for (const [name, count] of Object.entries(this.#table.get(ROW)?.struck ?? {})) {
      const [, of, at] = /^(delivery|api)\.(\d+)$/.exec(name) ?? [];
      if (of !== list) struck[name] = count;
      else if (Number(at) < index) struck[name] = count;
      else if (Number(at) > index) struck[`${list}.${Number(at) - 1}`] = count;
    }
    this.#table.put(ROW, { set, struck });
  }

  current(): FaultSet {
    return this.#table.get(ROW)?.set ?? {};
  }

  /**
   * Returns the first delivery fault of this kind that strikes. `occasion` is the unique name of
   * the occasion.
   */
  strikeDelivery(
    kind: DeliveryFault['fault'],
    target: { vaultId: string; stream: string; type: string; occasion: string },
  ): DeliveryFault | undefined {
    const faults = this.#table.get(ROW)?.set.delivery ?? [];
    return faults.find(
      (fault, index) =>
        fault.fault === kind &&
        (fault.vaultId ?? target.vaultId) === target.vaultId &&
        (fault.stream ?? target.stream) === target.stream &&
        (fault.type ?? target.type) === target.type &&
        this.#strikes(`delivery.${index}`, fault, target.occasion),
    );
  }

  /**
   * Returns every API fault that strikes this request. `strike` numbers the strikes of a fault,
   * from 1.
   */
  strikeApi(target: { operation: string; methodAndPath: string }): StruckApiFault[] {
    const faults = this.#table.get(ROW)?.set.api ?? [];
    if (faults.length === 0) return [];
    const request = this.#count(`requests.${target.operation}`);
    const struck: StruckApiFault[] = [];
    for (const [index, fault] of faults.entries()) {
      const concerned =
        fault.operation === undefined ||
        fault.operation === target.operation ||
        fault.operation === target.methodAndPath;
      const name = `api.${index}`;
      if (concerned && this.#strikes(name, fault, `${target.operation}#${request}`)) {
        struck.push({ ...fault, strike: this.#table.get(ROW)?.struck[name] ?? 1 });
      }
    }
    return struck;
  }

  #strikes(
    name: string,
    fault: { probability?: number | undefined; count?: number | undefined },
    occasion: string,
  ): boolean {
    const struck = this.#table.get(ROW)?.struck[name] ?? 0;
    if (fault.count !== undefined && struck >= fault.count) return false;
    const draw = createHash('sha256').update(`${this.#seed}|${name}|${occasion}`).digest();
    if (draw.readUInt32BE(0) / 2 ** 32 >= (fault.probability ?? 1)) return false;
    this.#count(name);
    return true;
  }

  #count(name: string): number {
    const row = this.#table.get(ROW);
    if (row === undefined) return 0;
    const value = (row.struck[name] ?? 0) + 1;
    this.#table.put(ROW, { ...row, struck: { ...row.struck, [name]: value } });
    return value;
  }
}
