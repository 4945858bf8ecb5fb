import type { Outcome, SkipCause } from '../../domain/deposit/record/comparison.ts';
import { sumByRule } from '../../domain/break/exemption.ts';
import type { RunCounts } from '../../domain/fact/custody-record.ts';

/** Counts the outcomes of all comparisons of a run. */
export class Tally {
  #matched = 0;
  #broken = 0;
  #exempt: RunCounts['exempt'] = {};
  readonly #skipped: Record<string, number> = {};

  add(outcome: Outcome): void {
    switch (outcome.kind) {
      case 'matched':
        this.#matched += 1;
        return;
      case 'break':
        this.#broken += 1;
        return;
      case 'exempt':
        this.#exempt = sumByRule(this.#exempt, { [outcome.rule]: 1 });
        return;
      case 'skipped':
        this.skip(outcome.cause, 1);
        return;
      default:
        outcome satisfies never;
    }
  }

  skip(cause: SkipCause, count: number): void {
    if (count > 0) this.#skipped[cause] = (this.#skipped[cause] ?? 0) + count;
  }

  addAll({ matched, broken, exempt, skipped }: RunCounts): void {
    this.#matched += matched;
    this.#broken += broken;
    this.#exempt = sumByRule(this.#exempt, exempt);
    for (const [cause, count] of Object.entries(skipped)) {
      this.#skipped[cause] = (this.#skipped[cause] ?? 0) + count;
    }
  }

  counts(): RunCounts {
    return {
      matched: this.#matched,
      broken: this.#broken,
      exempt: this.#exempt,
      skipped: this.#skipped,
    };
  }
}
