import type { ExemptDifference } from '../../domain/exemption.ts';
import { packExemptions, unpackExemptions } from '../fact-codec.ts';
import type { ExemptionRulesRow } from '../records.ts';
import { findingColumns, findingOf } from './finding-row.ts';
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
  return { rule: row.rule, finding: findingOf(row) };
}

export function exemptDifferenceRow({ rule, finding }: ExemptDifference): ExemptDifferenceRow {
  return { ...findingColumns(finding), rule };
}
