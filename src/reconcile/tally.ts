import type { Outcome, SkipCause } from '../domain/compare.ts';
import type { RunCounts } from '../domain/custody.ts';

/** Counts how comparisons ended; every one of them ends here. */
export class Tally {
  #matched = 0;
  #broken = 0;
  readonly #exempt: Record<string, number> = {};
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
        this.#exempt[outcome.rule] = (this.#exempt[outcome.rule] ?? 0) + 1;
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
    for (const [rule, count] of Object.entries(exempt)) {
      this.#exempt[rule] = (this.#exempt[rule] ?? 0) + count;
    }
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
