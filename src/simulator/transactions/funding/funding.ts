import type { Chain } from '../../chain/chain.ts';
import type { TransactionPlan } from '../../chain/chain-transaction.ts';
import type { CustodyRegistry } from '../../vaults/custody-registry.ts';
import type { AssetCatalogue } from '../../world/asset-catalogue.ts';
import type { TransactionEvent } from '../../world/transaction.ts';
import type { OrderBook } from '../order-book.ts';

/** Whether an order can be paid now, with the transaction that pays it. */
export type Funding =
  | { kind: 'funded'; plan: TransactionPlan }
  /** The source cannot cover amount plus fee. */
  | { kind: 'insufficient'; shortfalls: Shortfalls }
  /** The source could cover it, but other transactions hold its outputs. */
  | { kind: 'not-enough-utxos' };

export type Shortfalls = NonNullable<TransactionEvent['reasonDetails']>['shortfalls'];

/** The parts that funding and signing read. */
export interface FundingView {
  catalogue: AssetCatalogue;
  registry: CustodyRegistry;
  chain: Chain;
  orders: OrderBook;
}
