import type { Database } from 'better-sqlite3';
import type { ExemptDifference } from '../../domain/exemption.ts';
import type { ExemptionRulesRow } from '../records.ts';
import { exemptDifferenceOf, exemptionsOf } from './exemption-row.ts';
import type { ExemptDifferenceRow, ExemptionTableRow } from './tables.ts';

/** The exemption rules that were set last, and what is exempt. */
export class ExemptionRecords {
  readonly #rules;
  readonly #difference;
  readonly #differences;

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
}
