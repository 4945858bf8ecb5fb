import { spellingOf } from '../../domain/chain/network-address.ts';
import { inGrace, type Grace } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Memo, NetworkKey, TransactionId } from '../../domain/ids.ts';
import { isTerminalStatus, knownStatus } from '../../domain/withdrawal/withdrawal.ts';
import type { UnsentTransfer } from '../../store/reconciler-view.ts';

/** Where unsent transfers go, as texts of `targetOf`. */
export type UnsentTargets = ReadonlySet<string>;

function targetOf(
  { network, memo }: { network: NetworkKey; memo: Memo | null },
  networkAddress: string,
): string {
  return JSON.stringify([network, spellingOf(networkAddress), memo]);
}

function isUnsent({ status, blockchainHash }: CustodyTransaction): boolean {
  const known = knownStatus(status);
  return blockchainHash === null && (known === undefined || !isTerminalStatus(known));
}

/**
 * Where own transactions go that have no hash yet: as our records know them, and as these rows show
 * them. A transaction that a row shows with a hash is not one of them any more.
 */
export function unsentTargets(
  known: readonly UnsentTransfer[],
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): UnsentTargets {
  const isOpen = ({ transactionId }: UnsentTransfer): boolean => {
    const row = transactions.get(transactionId);
    return row === undefined || isUnsent(row);
  };
  const shown = [...transactions.values()].filter((row) => row.type === 'outgoing');
  const targets = new Set<string>();
  for (const one of [...known.filter(isOpen), ...shown.filter(isUnsent)]) {
    if (one.destinationAddress !== null) targets.add(targetOf(one, one.destinationAddress));
  }
  return targets;
}

/**
 * Whether a young deposit may come from an own transaction whose hash we do not know. The custody
 * API may still show that transaction as it was before it had a hash, or not show it at all, and its
 * webhooks are those of another vault. Once the grace period has ended, the API has shown the hash.
 */
export function mayBeUnsentTransfer(
  { row, deposits }: { row: CustodyTransaction; deposits: readonly Deposit[] },
  targets: UnsentTargets,
  grace: Grace,
): boolean {
  const address = row.networkAddress ?? row.destinationAddress;
  if (address === null || !targets.has(targetOf(row, address))) return false;
  return deposits.some(
    ({ credit, ownTransfer, firstSeenAt }) =>
      credit === null && !ownTransfer && inGrace(firstSeenAt, grace),
  );
}
