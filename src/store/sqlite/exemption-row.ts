import { storedAmount } from '../../domain/amount.ts';
import type { BreakType, Severity } from '../../domain/break.ts';
import type { ExemptDifference } from '../../domain/exemption.ts';
import {
  AssetId,
  BlockchainHash,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../domain/ids.ts';
import { packExemptions, unpackExemptions } from '../fact-codec.ts';
import type { ExemptionRulesRow } from '../records.ts';
import { or } from './row.ts';
import type { ExemptDifferenceRow, ExemptionTableRow } from './tables.ts';

export function exemptionsOf(row: ExemptionTableRow): ExemptionRulesRow {
  return {
    seq: row.seq,
    actor: row.actor,
    rules: unpackExemptions(row.rules),
    setAt: row.set_at,
  };
}

export function exemptionsRow(row: ExemptionRulesRow): ExemptionTableRow {
  return { seq: row.seq, actor: row.actor, rules: packExemptions(row.rules), set_at: row.setAt };
}

export function exemptDifferenceOf(row: ExemptDifferenceRow): ExemptDifference {
  return {
    rule: row.rule,
    finding: {
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
    },
  };
}

export function exemptDifferenceRow({ rule, finding }: ExemptDifference): ExemptDifferenceRow {
  const { type, key, severity, subject, expected, actual, detail } = finding;
  return {
    key,
    rule,
    type,
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
