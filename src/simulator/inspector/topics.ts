/** What an action changes that no table holds: the clock, and the list of snapshots. */
export const ACTED: readonly string[] = ['clock', 'snapshots'];

/** What a change of each table of the core's state changes on the pages. */
const TOPICS_OF: Readonly<Record<string, readonly string[]>> = {
  notifications: ['deliveries'],
  deliveryAttempts: ['deliveries'],
  deliveryLanes: ['deliveries'],
  subscriptions: ['deliveries', 'vaults'],
  orders: ['transactions'],
  transactionEvents: ['transactions'],
  incomings: ['transactions'],
  chainTransactions: ['chains', 'transactions'],
  tips: ['chains'],
  faults: ['faults'],
  transactionFaults: ['faults'],
  mails: ['mailbox'],
  vaults: ['vaults'],
  accounts: ['vaults'],
  addresses: ['vaults'],
  memos: ['vaults'],
};

/** The parts of pages that show a table's rows: an element names them in `data-live`. */
export function topicsOf(table: string): readonly string[] {
  return TOPICS_OF[table] ?? [];
}
