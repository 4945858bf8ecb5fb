import type { KeyObject } from 'node:crypto';
import { network } from '../wire/network.ts';
import type { Network } from '../wire/network.ts';
import { addressTransaction, ownTransactionHash, transactionRecord } from '../wire/transaction.ts';
import type { AddressTransaction, TransactionRecord } from '../wire/transaction.ts';
import { address, vault } from '../wire/vault.ts';
import type { Address, Vault } from '../wire/vault.ts';
import { readerOf } from './call/answer.ts';
import type { RequestBudget } from './budget/budget.ts';
import { budgetOf } from './budget/counted-budget.ts';
import type { Priority } from './budget/lane.ts';
import type { RequestLog } from './budget/request-log.ts';
import type { SharedCount } from './budget/shared-count.ts';
import { Caller } from './call/caller.ts';
import type { Attempt, CallOptions } from './call/caller.ts';
import { Circuit } from './call/circuit.ts';
import type { CircuitState } from './call/circuit.ts';
import type { Clock } from './clock.ts';
import type { Outcome } from './call/outcome.ts';
import { Operations } from './call/operation.ts';
import { ADDRESS_TRANSACTIONS_PATH, apiBase } from './call/path.ts';
import type { QueryValue } from './call/path.ts';
import { listReader, pageReader } from './list/row.ts';
import type { Page } from './list/row.ts';
import { Subscriptions } from './subscriptions.ts';
import { TokenSource } from './token.ts';
import { Transport } from './call/transport.ts';

export interface ClientOptions {
  /** The service's base address, with or without `/api/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** A key from `readPrivateKey`. */
  readonly privateKey: KeyObject;
  readonly clock: Clock;
  /** In [0, 1): jitter of the backoff. */
  readonly random: () => number;
  /** Path of the per-address list, which the spec does not show; relative to `/api/v1`. */
  readonly paths?: { readonly addressTransactions?: string };
  /** A log of requests shared with other processes; without it this client counts alone. */
  readonly log?: RequestLog;
  /** A count of requests that several machines share, in place of `log`; the client closes it. */
  readonly count?: SharedCount | undefined;
  /** Runs after every attempt. */
  readonly observe?: (attempt: Attempt) => void;
}

/**
 * A page of a list: 0-based `page`, `pageSize` up to 1,000, `sort` as `<field>:<asc or desc>`.
 * Serves the specification, section "List conventions".
 */
export interface PageQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort?: string;
}

export interface TransactionQuery extends PageQuery {
  readonly sort?: `${'createdAt' | 'updatedAt'}:${'asc' | 'desc'}`;
  readonly status?: string;
  readonly type?: 'outgoing' | 'incoming';
  readonly vaultId?: string;
  readonly network?: string;
  readonly blockchainHash?: string;
}

const readNetworks = listReader(network);
const readVaults = pageReader(vault);
const readAddresses = pageReader(address);
const readTransaction = readerOf(transactionRecord);
/** Reads a page of transactions. */
export const readTransactions = pageReader(transactionRecord, ownTransactionHash);
const readAddressTransactions = pageReader(addressTransaction);

/**
 * The custody API for the reconciler (spec, "Endpoints"). Every call returns a value and never
 * throws: see `Outcome`. The service counts requests by API client id, so clients with one id share
 * a log.
 */
export class CustodyClient {
  /** Webhook subscriptions and their deliveries. */
  readonly subscriptions: Subscriptions;
  readonly #operations: Operations;
  readonly #caller: Caller;
  readonly #transport: Transport;
  readonly #budget: RequestBudget;
  readonly #count: SharedCount | undefined;
  readonly #circuit: Circuit;
  readonly #now: () => number;
  readonly #addressTransactionsPath: string;

  constructor(options: ClientOptions) {
    const { clock, random } = options;
    const now = (): number => clock.now();
    this.#now = now;
    const { origin, prefix } = apiBase(options.baseUrl);
    this.#addressTransactionsPath = options.paths?.addressTransactions ?? ADDRESS_TRANSACTIONS_PATH;
    this.#transport = new Transport({ origin, clock });
    const { budget, reserve } = budgetOf({ log: options.log, count: options.count, now });
    this.#budget = budget;
    this.#count = options.count;
    this.#circuit = new Circuit({ now });
    const caller = new Caller({
      transport: this.#transport,
      tokens: new TokenSource({ clientId: options.clientId, privateKey: options.privateKey, now }),
      budget,
      reserve,
      circuit: this.#circuit,
      clock,
      random,
      observe: options.observe ?? (() => undefined),
    });
    this.#caller = caller;
    this.#operations = new Operations({ caller, prefix });
    this.subscriptions = new Subscriptions(this.#operations);
  }

  /** For `/readyz` and metrics. */
  circuit(): CircuitState {
    return this.#circuit.state();
  }

  /** Requests that count in the minute and the hour now. */
  budgetUsed(): { minute: number; hour: number } {
    return this.#budget.used();
  }

  /**
   * The earliest time at which the budget allows so many requests of a priority, Unix milliseconds.
   */
  roomAtMs(priority: Priority, count: number): number {
    return this.#budget.roomAtMs(priority, count);
  }

  /** How many requests of a priority the budget and the circuit allow now. */
  room(priority: Priority): number {
    const circuit = this.#circuit.state();
    const room = this.#budget.room(priority);
    if (circuit.kind !== 'open') return room;
    // One probe may find out whether the service is back.
    return this.#now() < circuit.retryAtMs ? 0 : Math.min(1, room);
  }

  /** Aborts calls under way; later calls return `unavailable`. */
  async close(): Promise<void> {
    this.#caller.end();
    await this.#transport.close();
    this.#budget.close();
    await this.#count?.close();
  }

  /**
   * `GET /networks`: the published confirmation depths (the specification, section "Other endpoints
   * referenced").
   */
  networks(options: CallOptions): Promise<Outcome<readonly Network[]>> {
    return this.#operations.run(
      { name: 'networks', method: 'GET', template: '/networks', read: readNetworks },
      options,
    );
  }

  /** `GET /vaults` (the specification, section "Other endpoints referenced"). */
  vaults(query: PageQuery, options: CallOptions): Promise<Outcome<Page<Vault>>> {
    return this.#operations.run(
      {
        name: 'vaults',
        method: 'GET',
        template: '/vaults',
        query: pageFields(query),
        read: readVaults,
      },
      options,
    );
  }

  /**
   * `GET /addresses?filter[vaultId]=`. The specification names no such list, only `POST /addresses`
   * (section "Other endpoints referenced").
   */
  addresses(
    query: PageQuery & { readonly vaultId: string },
    options: CallOptions,
  ): Promise<Outcome<Page<Address>>> {
    return this.#operations.run(
      {
        name: 'addresses',
        method: 'GET',
        template: '/addresses',
        query: { ...pageFields(query), 'filter[vaultId]': query.vaultId },
        read: readAddresses,
      },
      options,
    );
  }

  /**
   * `GET /transactions/{id}`. `not-found` when the answer is 404 `NE-1` (the specification, section
   * "Errors").
   */
  transaction(transactionId: string, options: CallOptions): Promise<Outcome<TransactionRecord>> {
    return this.#operations.run(
      {
        name: 'transaction',
        method: 'GET',
        template: '/transactions/{id}',
        ids: { id: transactionId },
        read: readTransaction,
      },
      options,
    );
  }

  /**
   * `GET /transactions`, filtered by the given members. The specification names only the filters
   * `status` and `network` (section "Other endpoints referenced").
   */
  transactions(
    query: TransactionQuery,
    options: CallOptions,
  ): Promise<Outcome<Page<TransactionRecord>>> {
    return this.#operations.run(
      {
        name: 'transactions',
        method: 'GET',
        template: '/transactions',
        query: {
          ...pageFields(query),
          'filter[status]': query.status,
          'filter[type]': query.type,
          'filter[vaultId]': query.vaultId,
          'filter[network]': query.network,
          'filter[blockchainHash]': query.blockchainHash,
        },
        read: readTransactions,
      },
      options,
    );
  }

  /**
   * The per-address blockchain list. A just-mined row may omit `balanceChanges` for a while (the
   * specification, section "Conservation rules", 6): that means unknown, never zero.
   */
  addressTransactions(
    query: PageQuery & { readonly addressId: string },
    options: CallOptions,
  ): Promise<Outcome<Page<AddressTransaction>>> {
    return this.#operations.run(
      {
        name: 'addressTransactions',
        method: 'GET',
        template: this.#addressTransactionsPath,
        ids: { addressId: query.addressId },
        query: pageFields(query),
        read: readAddressTransactions,
      },
      options,
    );
  }
}

function pageFields(query: PageQuery): Readonly<Record<string, QueryValue>> {
  return { page: query.page, pageSize: query.pageSize, sort: query.sort };
}
