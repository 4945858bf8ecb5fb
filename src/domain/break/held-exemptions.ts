import { changedSince } from '../fact/basis.ts';
import type { Decision, Refusal } from '../fact/decision.ts';
import type { ExemptionRule } from './exemption.ts';

/** Most rules that people have added: each change stores the whole list again. */
const ADDED_MAX = 200;

/** A rule with its origin. */
export interface HeldExemption extends ExemptionRule {
  /** Who added the rule, and when (Unix milliseconds). Undefined: it is the configuration's. */
  readonly added?: { readonly by: string; readonly at: number };
}

/** The rules that hold, and when the configuration last changed its part of them. */
export interface HeldExemptions {
  /** The configuration's in its order, then those of people, oldest first. */
  readonly rules: readonly HeldExemption[];
  /** Unix milliseconds; null before any configured set. */
  readonly configuredAt: number | null;
}

/** A person's decision about an exemption rule. */
export type ExemptionDecision = Extract<Decision, { kind: 'exempt' | 'end-exemption' }>;

/** What ending a rule depends on: a rule never changes, but its name may be used again. */
export function exemptionParts({ added }: HeldExemption) {
  return [
    ['author', added?.by ?? null],
    ['time', added === undefined ? null : new Date(added.at).toISOString()],
  ] as const;
}

/** The configuration's rules. */
export function configuredIn(rules: readonly HeldExemption[]): readonly ExemptionRule[] {
  return rules.filter(({ added }) => added === undefined);
}

/** The rules that people added. */
export function addedIn(rules: readonly HeldExemption[]): readonly HeldExemption[] {
  return rules.filter(({ added }) => added !== undefined);
}

/** Replaces the configuration's rules. A configured rule replaces a person's rule of its name. */
export function withConfigured(
  held: readonly HeldExemption[],
  configured: readonly ExemptionRule[],
): readonly HeldExemption[] {
  const names = new Set(configured.map(({ rule }) => rule));
  return [...configured, ...addedIn(held).filter(({ rule }) => !names.has(rule))];
}

function refused(
  kind: Refusal['kind'],
  detail: string,
): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal: { kind, detail } };
}

/**
 * Applies a person's decision to the rules. A name is unique among the rules, because differences
 * are counted by it. A person's rule that has ended by itself gives its name free. `at`: Unix
 * milliseconds.
 */
export function changeExemptions(
  held: readonly HeldExemption[],
  decision: ExemptionDecision,
  { actor, at }: { readonly actor: string; readonly at: number },
):
  | { readonly kind: 'taken'; readonly rules: readonly HeldExemption[] }
  | ReturnType<typeof refused> {
  const isEnd = decision.kind === 'end-exemption';
  const name = isEnd ? decision.rule : decision.rule.rule;
  const quoted = JSON.stringify(name);
  const known = held.find(({ rule }) => rule === name);
  const others = held.filter((one) => one !== known);
  const isConfigured = known !== undefined && known.added === undefined;
  if (isEnd) {
    if (known === undefined)
      return refused(
        'not_found',
        `there is no exemption rule ${quoted}: list them with GET /v1/exemptions`,
      );
    if (isConfigured) {
      return refused(
        'conflict',
        `the rule ${quoted} is the configuration's: remove it from reconcile.exemptions and restart`,
      );
    }
    const stale = changedSince(exemptionParts(known), decision.basis);
    return stale === null ? { kind: 'taken', rules: others } : refused('conflict', stale);
  }
  if (isConfigured) {
    return refused('conflict', `the configuration has a rule ${quoted}: choose another name`);
  }
  if (known !== undefined && at < known.until) {
    return refused('conflict', `a rule ${quoted} is in force: end it, or choose another name`);
  }
  if (decision.rule.until <= at) {
    return refused('conflict', `the rule ${quoted} has ended already: give a later end`);
  }
  if (addedIn(others).length >= ADDED_MAX) {
    return refused('conflict', `people have added ${ADDED_MAX} rules: end one that is not needed`);
  }
  return { kind: 'taken', rules: [...others, { ...decision.rule, added: { by: actor, at } }] };
}
