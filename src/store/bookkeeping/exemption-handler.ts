import {
  LOCAL_BREAKS,
  type Break,
  type BreakType,
  type Finding,
} from '../../domain/break/break.ts';
import {
  countByRule,
  exemptionOf,
  isOnRecord,
  parted,
  type ExemptDifference,
  type Exemptions,
} from '../../domain/break/exemption.ts';
import type { HandlerContext, Now } from './handler-context.ts';

function isLocal({ type }: Pick<Finding, 'type'>): boolean {
  return (LOCAL_BREAKS as readonly BreakType[]).includes(type);
}

/** The difference itself, without what happened to its break. */
function findingOf(known: Break): Finding {
  const { type, key, subject, expected, actual, detail, originalSeverity: severity } = known;
  return { type, key, severity, subject, expected, actual, detail };
}

/** Applies the exemption rules to what comparisons find. */
export class ExemptionHandler {
  readonly #context: HandlerContext;

  constructor(context: HandlerContext) {
    this.#context = context;
  }

  /** Differences that are breaks, and those that a rule exempts. */
  part(found: readonly Finding[], at: number): ReturnType<typeof parted> {
    return parted(found, this.#exemptions(at));
  }

  /** Exempt differences that are new or have changed. */
  news(exempt: readonly ExemptDifference[]): ExemptDifference[] {
    const { exemptions } = this.#context.unit;
    return exempt.filter((one) => !isOnRecord(exemptions.difference(one.finding.key), one));
  }

  isExempt(key: string): boolean {
    return this.#context.unit.exemptions.difference(key) !== undefined;
  }

  /** Whether any rule is in force. */
  isInForce(at: number): boolean {
    return this.#exemptions(at).rules.some((rule) => at < rule.until);
  }

  /**
   * Applies the current rules to exempt differences: one that has ended is forgotten, and one whose
   * rule has ended is a break again. `compareAgain`: differences whose movement must be compared again.
   */
  reconsider(
    differences: readonly ExemptDifference[],
    isGone: (found: Finding) => boolean,
    now: Now,
  ): {
    readonly broken: number;
    readonly compareAgain: readonly Finding[];
    readonly changed: boolean;
  } {
    const { unit } = this.#context;
    const compareAgain: Finding[] = [];
    let broken = 0;
    let changed = false;
    for (const { finding: found } of differences) {
      const known = unit.exemptions.difference(found.key);
      if (known === undefined) continue;
      const rule = exemptionOf(known.finding, this.#exemptions(now.at));
      if (isGone(found)) {
        unit.exemptions.drop(found.key);
      } else if (rule === undefined && isLocal(found)) {
        unit.exemptions.drop(found.key);
        compareAgain.push(found);
      } else if (rule === undefined) {
        unit.find(known.finding, now);
        broken += 1;
      } else if (rule.rule !== known.rule) {
        unit.exemptions.put({ ...known, rule: rule.rule });
      } else continue;
      changed = true;
    }
    return { broken, compareAgain, changed };
  }

  /** Resolves open breaks that a rule matches now; counts those of the custody half by rule. */
  exemptOpen(breaks: readonly Break[], now: Now): Readonly<Record<string, number>> {
    const { unit } = this.#context;
    const open = breaks.flatMap(({ key }) => unit.unresolvedBreak(key) ?? []);
    const { exempt } = parted(open.map(findingOf), this.#exemptions(now.at));
    for (const one of exempt) unit.exempt(one, now);
    return countByRule(exempt.filter(({ finding }) => !isLocal(finding)));
  }

  #exemptions(at: number): Exemptions {
    return { rules: this.#context.unit.exemptions.rules(), at };
  }
}
