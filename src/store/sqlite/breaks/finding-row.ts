import { storedAmount } from '../../../domain/money/amount.ts';
import type { BreakType, Finding, Severity } from '../../../domain/break/break.ts';
import {
  AssetId,
  BlockchainHash,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../domain/ids.ts';
import type { FindingColumns } from '../table/break-tables.ts';

/** A nullable column as a branded id or null. */
function or<Id>(brand: (value: string) => Id, value: string | null): Id | null {
  return value === null ? null : brand(value);
}

/** Reads a difference from the columns that breaks and exempt differences share. */
export function findingOf(row: FindingColumns): Finding {
  return {
    type: row.type as BreakType,
    key: row.key,
    severity: row.severity as Severity,
    subject: {
      vaultId: or(VaultId, row.vault_id),
      network: or(NetworkKey, row.network),
      blockchainHash: or(BlockchainHash, row.blockchain_hash),
      asset: or(AssetId, row.asset),
      transactionId: or(TransactionId, row.transaction_id),
      depositId: or(DepositId, row.deposit_id),
    },
    expected: row.expected === null ? null : storedAmount(row.expected),
    actual: row.actual === null ? null : storedAmount(row.actual),
    detail: row.detail,
  };
}

/** The columns of a difference that breaks and exempt differences share. */
export function findingColumns(finding: Finding): FindingColumns {
  const { type, key, severity, subject, expected, actual, detail } = finding;
  return {
    type,
    key,
    severity,
    vault_id: subject.vaultId,
    network: subject.network,
    blockchain_hash: subject.blockchainHash,
    asset: subject.asset,
    transaction_id: subject.transactionId,
    deposit_id: subject.depositId,
    expected: expected?.toString() ?? null,
    actual: actual?.toString() ?? null,
    detail,
  };
}
