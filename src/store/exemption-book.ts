import type { ExemptDifference, ExemptionRule } from '../domain/exemption.ts';
import type { ExemptionRulesRow, RecordSource, Writes } from './records.ts';

type Source = Pick<RecordSource, 'exemptionRules' | 'exemptDifference'>;

/** The exemption rules, and the differences that they exempt: one per key. */
export class ExemptionBook {
  readonly #source: Source;
  #rules: readonly ExemptionRule[] | undefined;
  /** Null where none is exempt. */
  readonly #known = new Map<string, ExemptDifference | null>();
  #set: ExemptionRulesRow[] = [];
  #changed = new Map<string, ExemptDifference | null>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Lets go of the differences at hand. To be called when all is written. */
  letGo(): void {
    this.#known.clear();
  }

  rules(): readonly ExemptionRule[] {
    this.#rules ??= this.#source.exemptionRules()?.rules ?? [];
    return this.#rules;
  }

  setRules(row: ExemptionRulesRow): void {
    this.#rules = row.rules;
    this.#set.push(row);
  }

  difference(key: string): ExemptDifference | undefined {
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#source.exemptDifference(key) ?? null;
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

  #change(key: string, difference: ExemptDifference | null): void {
    this.#known.set(key, difference);
    this.#changed.set(key, difference);
  }

  /** Hands over what is to be written since the last call, and keeps the differences at hand. */
  takeWrites(): Pick<Writes, 'exemptionRules' | 'exemptDifferences'> {
    const writes = { exemptionRules: this.#set, exemptDifferences: this.#changed };
    this.#set = [];
    this.#changed = new Map();
    return writes;
  }
}
