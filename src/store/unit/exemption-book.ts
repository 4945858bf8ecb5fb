import type { BreakType } from '../../domain/break/break.ts';
import { addTo } from '../../domain/counts.ts';
import { sumByRule, type ExemptDifference } from '../../domain/break/exemption.ts';
import type { HeldExemption } from '../../domain/break/held-exemptions.ts';
import type { ExemptionRulesRow } from '../records.ts';
import type { RecordSource, Writes } from '../port.ts';

type Source = RecordSource['exemptions'];

/** The exemption rules, and the differences that they exempt: one per key. */
export class ExemptionBook {
  readonly #source: Source;
  #rules: readonly HeldExemption[] | undefined;
  /** Null where none is exempt. */
  readonly #known = new Map<string, ExemptDifference | null>();
  #set: ExemptionRulesRow[] = [];
  #changed = new Map<string, ExemptDifference | null>();
  /** By type and rule, how many more are exempt than the store has. */
  #grown = new Map<BreakType, Map<string, number>>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Forgets the differences in memory. The caller has written everything. */
  letGo(): void {
    this.#known.clear();
  }

  rules(): readonly HeldExemption[] {
    this.#rules ??= this.#source.rules()?.rules ?? [];
    return this.#rules;
  }

  setRules(row: ExemptionRulesRow): void {
    this.#rules = row.rules;
    this.#set.push(row);
  }

  difference(key: string): ExemptDifference | undefined {
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#source.difference(key) ?? null;
      this.#known.set(key, known);
    }
    return known ?? undefined;
  }

  put(difference: ExemptDifference): void {
    this.#change(difference.finding.key, difference);
  }

  drop(key: string): void {
    if (this.difference(key) !== undefined) this.#change(key, null);
  }

  /** How many differences of these types each rule exempts, including unwritten ones. */
  counts(types: readonly BreakType[]): Readonly<Record<string, number>> {
    const grown = types.map((type) => Object.fromEntries(this.#grown.get(type) ?? []));
    const counts = Object.entries(sumByRule(this.#source.counts(types), ...grown));
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  #change(key: string, difference: ExemptDifference | null): void {
    this.#count(this.difference(key) ?? null, -1);
    this.#count(difference, 1);
    this.#known.set(key, difference);
    this.#changed.set(key, difference);
  }

  #count(difference: ExemptDifference | null, by: 1 | -1): void {
    if (difference === null) return;
    const { finding, rule } = difference;
    const ofType = this.#grown.get(finding.type) ?? new Map<string, number>();
    addTo(ofType, rule, by);
    this.#grown.set(finding.type, ofType);
  }

  /** Returns the changes since the last call. The differences stay in memory. */
  takeWrites(): Pick<Writes, 'exemptionRules' | 'exemptDifferences'> {
    const writes = { exemptionRules: this.#set, exemptDifferences: this.#changed };
    this.#set = [];
    this.#changed = new Map();
    this.#grown = new Map();
    return writes;
  }
}
