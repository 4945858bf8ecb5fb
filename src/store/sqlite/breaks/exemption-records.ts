import type { Database } from 'better-sqlite3';
import type { BreakType } from '../../../domain/break/break.ts';
import { sumByRule, type ExemptDifference } from '../../../domain/break/exemption.ts';
import type { ExemptionRulesRow } from '../../records.ts';
import {
  exemptDifferenceOf,
  type ExemptDifferenceRow,
  exemptionsOf,
  type ExemptionTableRow,
} from '../table/rows/break-row.ts';

/** Reads the current exemption rules and the exempt differences. */
export class ExemptionRecords {
  readonly #rules;
  readonly #difference;
  readonly #differences;
  readonly #differencesAfter;
  readonly #counts;

  constructor(db: Database) {
    this.#rules = db.prepare<[], ExemptionTableRow>(
      'SELECT * FROM exemptions ORDER BY seq DESC LIMIT 1',
    );
    this.#difference = db.prepare<[string], ExemptDifferenceRow>(
      'SELECT * FROM exempt_differences WHERE key = ?',
    );
    this.#differences = db.prepare<[], ExemptDifferenceRow>(
      'SELECT * FROM exempt_differences ORDER BY key',
    );
    this.#differencesAfter = db.prepare<[string, number], ExemptDifferenceRow>(
      'SELECT * FROM exempt_differences WHERE key > ? ORDER BY key LIMIT ?',
    );
    this.#counts = db.prepare<[string], { rule: string; count: number }>(
      'SELECT rule, count(*) AS count FROM exempt_differences WHERE type = ? GROUP BY rule',
    );
  }

  /** The rules that were set last; undefined before any. */
  rules(): ExemptionRulesRow | undefined {
    const row = this.#rules.get();
    return row && exemptionsOf(row);
  }

  difference(key: string): ExemptDifference | undefined {
    const row = this.#difference.get(key);
    return row && exemptDifferenceOf(row);
  }

  /** All exempt differences, ordered by key. */
  differences(): readonly ExemptDifference[] {
    return this.#differences.all().map(exemptDifferenceOf);
  }

  /** Exempt differences ordered by key, after one of them; null starts with the first. */
  differencesAfter(key: string | null, limit: number): readonly ExemptDifference[] {
    return this.#differencesAfter.all(key ?? '', limit).map(exemptDifferenceOf);
  }

  /** Number of exempt differences of these types, by rule. */
  counts(types: readonly BreakType[]): Readonly<Record<string, number>> {
    const counts = types.flatMap((type) => this.#counts.all(type));
    return sumByRule(...counts.map(({ rule, count }) => ({ [rule]: count })));
  }
}
