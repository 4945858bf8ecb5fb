import type { Reader } from './answer.ts';
import type { CallOptions, Caller } from './caller.ts';
import type { Outcome } from './outcome.ts';
import { fill, isSegment, queryText } from './path.ts';
import type { QueryValue } from './path.ts';
import type { Method } from './transport.ts';

/** Every operation of the custody API that we use, as metrics and logs name it. */
export const OPERATION_NAMES = [
  'networks',
  'vaults',
  'addresses',
  'transaction',
  'transactions',
  'addressTransactions',
  'subscriptions',
  'subscribe',
  'confirmationOverrides',
  'setConfirmationOverrides',
  'pullRetriesForward',
  'notifications',
  'replay',
] as const;

/** One endpoint with its parameters; `template` is relative to `/api/v1`. */
export interface Operation<Value> {
  readonly name: (typeof OPERATION_NAMES)[number];
  readonly method: Method;
  readonly template: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly read: Reader<Value>;
}

/** Turns operations into calls. */
export class Operations {
  readonly #caller: Caller;
  readonly #prefix: string;

  /** `prefix`: the API's path from the root of the origin. */
  constructor(options: { caller: Caller; prefix: string }) {
    this.#caller = options.caller;
    this.#prefix = options.prefix;
  }

  async run<Value>(operation: Operation<Value>, options: CallOptions): Promise<Outcome<Value>> {
    const ids = operation.ids ?? {};
    const unfit = Object.keys(ids).find((name) => !isSegment(ids[name] ?? ''));
    if (unfit !== undefined) {
      return { kind: 'malformed', detail: `the ${unfit} asked for cannot be part of a path` };
    }
    const path = this.#prefix + fill(operation.template, ids) + queryText(operation.query ?? {});
    return this.#caller.call({
      ...options,
      operation: operation.name,
      method: operation.method,
      path,
      body: operation.body,
      read: operation.read,
    });
  }
}
