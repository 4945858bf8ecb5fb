import type { Break, BreakType, Finding } from '../domain/break.ts';
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

/** Their comparison is made anew in every run: nothing of them need be remembered. */
const LOCAL_TYPES: ReadonlySet<BreakType> = new Set(['conservation', 'unexplained_movement']);

const CUSTODY_TYPES = EXEMPTIBLE_TYPES.filter((type) => !LOCAL_TYPES.has(type));

function isLocal({ type }: Finding): boolean {
  return LOCAL_TYPES.has(type);
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

  /**
   * What a run makes of the rules as they are by then: an exempt difference whose rule is gone is a
   * break again, and an open break that a rule has come to match is one no more. `local`: what the
   * run itself exempts; `isOver`: whether a difference has gone away.
   */
  reconsider(
    context: {
      readonly local: readonly ExemptDifference[];
      readonly isOver: (found: Finding) => boolean;
    },
    now: At,
  ): { readonly broken: number; readonly exempt: Readonly<Record<string, number>> } {
    const broken = this.#forgetOrReopen(context, now);
    const exempt = this.#exemptOpen(now);
    return { broken, exempt: countByRule([...context.local, ...exempt]) };
  }

  #exemptions(at: number): Exemptions {
    return { rules: this.#tools.set.exemptions.rules(), at };
  }

  #forgetOrReopen(
    { local, isOver }: { local: readonly ExemptDifference[]; isOver: (found: Finding) => boolean },
    now: At,
  ): number {
    const { set, source } = this.#tools;
    const stillLocal = new Set(local.map(({ finding }) => finding.key));
    let broken = 0;
    for (const { finding: found } of source.exemptDifferences()) {
      const known = set.exemptions.difference(found.key);
      if (known === undefined) continue;
      if (isLocal(found) ? !stillLocal.has(found.key) : isOver(found)) {
        set.exemptions.drop(found.key);
        continue;
      }
      if (isLocal(found)) continue;
      const rule = exemptionOf(known.finding, this.#exemptions(now.at));
      if (rule === undefined) {
        set.find(known.finding, now);
        broken += 1;
      } else if (rule.rule !== known.rule) {
        set.exemptions.put({ ...known, rule: rule.rule });
      }
    }
    return broken;
  }

  #exemptOpen(now: At): ExemptDifference[] {
    const { set, source } = this.#tools;
    const exemptions = this.#exemptions(now.at);
    if (!exemptions.rules.some((rule) => now.at < rule.until)) return [];
    const open = source
      .unresolvedBreaks(CUSTODY_TYPES)
      .flatMap(({ key }) => set.unresolvedBreak(key) ?? []);
    const { exempt } = parted(open.map(findingOf), exemptions);
    for (const one of exempt) set.exempt(one, now);
    return [...exempt];
  }
}
