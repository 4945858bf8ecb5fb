import { LOCAL_BREAKS, type Break, type BreakType, type Finding } from '../domain/break.ts';
import {
  countByRule,
  exemptionOf,
  EXEMPTIBLE_TYPES,
  isOnRecord,
  parted,
  type ExemptDifference,
  type Exemptions,
} from '../domain/exemption.ts';
import type { IdMint } from '../domain/ids.ts';
import type { DeskTools } from './desk-tools.ts';

interface At {
  readonly seq: number;
  readonly at: number;
  readonly mint: IdMint;
}

function isLocal({ type }: Pick<Finding, 'type'>): boolean {
  return (LOCAL_BREAKS as readonly BreakType[]).includes(type);
}

/** The difference itself, without what happened to its break. */
function findingOf(known: Break): Finding {
  const { type, key, subject, expected, actual, detail, originalSeverity: severity } = known;
  return { type, key, severity, subject, expected, actual, detail };
}

/** Applies the exemption rules to what comparisons find. */
export class ExemptionDesk {
  readonly #tools: DeskTools;

  constructor(tools: DeskTools) {
    this.#tools = tools;
  }

  /** Differences that are breaks, and those that a rule exempts. */
  part(found: readonly Finding[], at: number): ReturnType<typeof parted> {
    return parted(found, this.#exemptions(at));
  }

  /** Exempt differences that are not on record as they are now. */
  news(exempt: readonly ExemptDifference[]): ExemptDifference[] {
    const { exemptions } = this.#tools.set;
    return exempt.filter((one) => !isOnRecord(exemptions.difference(one.finding.key), one));
  }

  isExempt(key: string): boolean {
    return this.#tools.set.exemptions.difference(key) !== undefined;
  }

  /** Types whose breaks a rule may end. */
  readonly types: readonly BreakType[] = EXEMPTIBLE_TYPES;

  /** Whether a rule holds that may end an open break. */
  isInForce(at: number): boolean {
    return this.#exemptions(at).rules.some((rule) => at < rule.until);
  }

  /**
   * What a run makes of exempt differences by the rules of then: one that has gone away is forgotten,
   * and one whose rule is gone is a break again. `judgeAgain`: those whose movement says what it is.
   */
  reconsider(
    differences: readonly ExemptDifference[],
    isGone: (found: Finding) => boolean,
    now: At,
  ): {
    readonly broken: number;
    readonly judgeAgain: readonly Finding[];
    readonly changed: boolean;
  } {
    const { set } = this.#tools;
    const judgeAgain: Finding[] = [];
    let broken = 0;
    let changed = false;
    for (const { finding: found } of differences) {
      const known = set.exemptions.difference(found.key);
      if (known === undefined) continue;
      const rule = exemptionOf(known.finding, this.#exemptions(now.at));
      if (isGone(found)) {
        set.exemptions.drop(found.key);
      } else if (rule === undefined && isLocal(found)) {
        set.exemptions.drop(found.key);
        judgeAgain.push(found);
      } else if (rule === undefined) {
        set.find(known.finding, now);
        broken += 1;
      } else if (rule.rule !== known.rule) {
        set.exemptions.put({ ...known, rule: rule.rule });
      } else continue;
      changed = true;
    }
    return { broken, judgeAgain, changed };
  }

  /** Ends open breaks that a rule has come to match; by rule, those of the custody half. */
  exemptOpen(breaks: readonly Break[], now: At): Readonly<Record<string, number>> {
    const { set } = this.#tools;
    const open = breaks.flatMap(({ key }) => set.unresolvedBreak(key) ?? []);
    const { exempt } = parted(open.map(findingOf), this.#exemptions(now.at));
    for (const one of exempt) set.exempt(one, now);
    return countByRule(exempt.filter(({ finding }) => !isLocal(finding)));
  }

  #exemptions(at: number): Exemptions {
    return { rules: this.#tools.set.exemptions.rules(), at };
  }
}
