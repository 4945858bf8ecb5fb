import type { Database } from 'better-sqlite3';
import type { BreakType } from '../../domain/break.ts';
import { sumByRule, type ExemptDifference } from '../../domain/exemption.ts';
import type { ExemptionRulesRow } from '../records.ts';
import { exemptDifferenceOf, exemptionsOf } from './exemption-row.ts';
import type { ExemptDifferenceRow, ExemptionTableRow } from './tables.ts';

/** The exemption rules that were set last, and what is exempt. */
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

  rules(): ExemptionRulesRow | undefined {
    const row = this.#rules.get();
    return row && exemptionsOf(row);
  }

  difference(key: string): ExemptDifference | undefined {
    const row = this.#difference.get(key);
    return row && exemptDifferenceOf(row);
  }

  /** All of them, by key. */
  differences(): readonly ExemptDifference[] {
    return this.#differences.all().map(exemptDifferenceOf);
  }

  /** Exempt differences by key, after one of them. */
  differencesAfter(key: string | null, limit: number): readonly ExemptDifference[] {
    return this.#differencesAfter.all(key ?? '', limit).map(exemptDifferenceOf);
  }

  /** How many differences of these types each rule exempts. */
  counts(types: readonly BreakType[]): Readonly<Record<string, number>> {
    const counts = types.flatMap((type) => this.#counts.all(type));
    return sumByRule(...counts.map(({ rule, count }) => ({ [rule]: count })));
  }
}
