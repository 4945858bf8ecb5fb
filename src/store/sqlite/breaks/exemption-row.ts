import type { ExemptDifference } from '../../../domain/break/exemption.ts';
import { packExemptions, unpackExemptions } from '../../codec/fact.ts';
import type { ExemptionRulesRow } from '../../records.ts';
import { findingColumns, findingOf } from './finding-row.ts';
import type { ExemptDifferenceRow, ExemptionTableRow } from '../table/break-tables.ts';

/** Reads exemption rules from their row. */
export function exemptionsOf(row: ExemptionTableRow): ExemptionRulesRow {
  return {
    seq: row.seq,
    actor: row.actor,
    rules: unpackExemptions(row.rules),
    setAt: row.set_at,
  };
}

/** The row of exemption rules. */
export function exemptionsRow(row: ExemptionRulesRow): ExemptionTableRow {
  return { seq: row.seq, actor: row.actor, rules: packExemptions(row.rules), set_at: row.setAt };
}

/** Reads an exempt difference from its row. */
export function exemptDifferenceOf(row: ExemptDifferenceRow): ExemptDifference {
  return { rule: row.rule, finding: findingOf(row) };
}

/** The row of an exempt difference. */
export function exemptDifferenceRow({ rule, finding }: ExemptDifference): ExemptDifferenceRow {
  return { ...findingColumns(finding), rule };
}
