import { samePolicy, type CreditingPolicy } from '../../domain/policy/policy.ts';
import {
  haltsIn,
  keepingHalts,
  scopeText,
  withoutHalts,
  type HaltScope,
} from '../../domain/policy/halt.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Reads } from '../../store/reads.ts';
import type { PolicyRow } from '../../store/records.ts';
import { journalConfigured } from './configured-decision.ts';

/** The policy in force, which stays. */
interface Stays {
  readonly held: PolicyRow;
  /** The newest change of more than halts. */
  readonly rulesSet: PolicyRow;
  readonly configured: CreditingPolicy;
}

/** What a start does with the configured policy. */
export type PolicyAtStart =
  /** The file is unchanged: the current policy stays. */
  | (Stays & { readonly kind: 'unchanged' })
  /** A receiver applied the file's policy earlier, and it was replaced: the current policy stays. */
  | (Stays & { readonly kind: 'former' })
  /** The file's policy is new or changed. */
  | {
      readonly kind: 'taken';
      readonly policy: CreditingPolicy;
      /** Halts set by people through the API; only people lift them. */
      readonly kept: readonly HaltScope[];
      /** The newest change of more than halts so far, if any. */
      readonly replaced: PolicyRow | undefined;
    };

/** Newest policies among which a receiver looks for its own. People make a few a month. */
const HISTORY_MAX = 1_000;

/**
 * A policy set through the API stays until the configured policy changes. So a restart never undoes
 * a person's change, and even a changed file lifts no halt.
 *
 * `isShared`: several receivers share the journal. Then none applies a policy that any of them
 * applied before: receivers with different files would undo each other's, and people's, at every
 * takeover.
 */
export async function policyAtStart(
  configured: CreditingPolicy,
  reads: Pick<Reads, 'policy' | 'configuredPolicy' | 'policyHistory'>,
  { isShared }: { readonly isShared: boolean },
): Promise<PolicyAtStart> {
  const held = await reads.policy();
  const last = await reads.configuredPolicy();
  if (held === undefined) {
    return { kind: 'taken', ...keepingHalts(configured, undefined), replaced: undefined };
  }
  const rulesSet = await newestOfRules(held, reads);
  if (last !== undefined && samePolicy(last, configured)) {
    return { kind: 'unchanged', held, rulesSet, configured };
  }
  if (isShared && (await wasApplied(configured, reads))) {
    return { kind: 'former', held, rulesSet, configured };
  }
  const before = last === undefined ? undefined : { policy: held.policy, configured: last };
  return { kind: 'taken', ...keepingHalts(configured, before), replaced: rulesSet };
}

function sameRules(left: CreditingPolicy, right: CreditingPolicy): boolean {
  return samePolicy(withoutHalts(left), withoutHalts(right));
}

/** The newest change of more than halts. A halt has its own author and reason. */
async function newestOfRules(
  held: PolicyRow,
  reads: Pick<Reads, 'policyHistory'>,
): Promise<PolicyRow> {
  if (held.source === 'config') return held;
  const { items } = await reads.policyHistory({ page: 0, pageSize: HISTORY_MAX });
  return items.find(({ policy, before }) => before === null || !sameRules(before, policy)) ?? held;
}

async function wasApplied(
  policy: CreditingPolicy,
  reads: Pick<Reads, 'policyHistory'>,
): Promise<boolean> {
  const { items } = await reads.policyHistory({ page: 0, pageSize: HISTORY_MAX });
  return items.some(({ configured }) => configured !== null && samePolicy(configured, policy));
}

/** Journals the configured policy when a start adopts it. Throws `CommandFailed`. */
export async function takePolicy(
  configured: CreditingPolicy,
  store: { readonly reads: Reads; readonly queue: Pick<FactQueue, 'submit'> },
  options: { readonly isShared: boolean },
): Promise<PolicyAtStart> {
  const start = await policyAtStart(configured, store.reads, options);
  if (start.kind !== 'taken') return start;
  const { policy, kept } = start;
  const halts = kept.map(scopeText).join(', ');
  const still = halts === '' ? '' : `; still halted, because a person set the halt: ${halts}`;
  const reason = `this policy stands in the daemon's configuration file, under crediting${still}`;
  const decision = { kind: 'policy', source: 'config', policy, configured, reason } as const;
  await journalConfigured(decision, store.queue);
  return start;
}

/** A sentence about the policy at start; null when nothing changed. */
export function startText(start: PolicyAtStart): string | null {
  if (start.kind !== 'taken') return staysText(start);
  const { kept, replaced } = start;
  const undone =
    replaced?.source === 'api'
      ? [`it replaces the policy that ${replaced.actor} set through the API (${replaced.reason})`]
      : [];
  const still =
    kept.length === 0 ? [] : [`halted through the API, and still halted: ${scopesText(kept)}`];
  const changes = [...undone, ...still];
  return changes.length === 0
    ? null
    : `the crediting policy of the configuration has changed: ${changes.join('; ')}`;
}

function scopesText(scopes: readonly HaltScope[]): string {
  return scopes.map(scopeText).join(', ');
}

/** `ann at 2025-11-20T01:02:03.000Z (a fork)` */
function authorText({ actor, setAt, reason }: PolicyRow, set: string): string {
  return `${actor} ${set} ${new Date(setAt).toISOString()} (${reason})`;
}

type Staying = Exclude<PolicyAtStart, { kind: 'taken' }>;

function staysText({ kind, held, rulesSet, configured }: Staying): string | null {
  if (samePolicy(held.policy, configured)) return null;
  const isOfFile = held.source === 'config';
  // The start that took this file named the halts that stayed.
  if (isOfFile && kind === 'unchanged') return null;
  const halts = haltsIn(held.policy);
  if (!isOfFile && sameRules(held.policy, configured)) {
    const now = halts.length === 0 ? 'nothing' : scopesText(halts);
    return `the crediting policy is the configuration's, except for halts that people changed through the API: halted now: ${now}; last change by ${authorText(held, 'at')}`;
  }
  const halted = halts.length === 0 ? '' : `; halted now: ${scopesText(halts)}`;
  if (kind === 'unchanged') {
    return `in force is the crediting policy that ${authorText(rulesSet, 'set through the API at')}, not the configuration's${halted}`;
  }
  return `in force is the crediting policy that ${authorText(rulesSet, 'set at')}, not this receiver's${halted}: a receiver applied this one before, and none applies a policy twice. Give all receivers the same crediting; to bring this policy back, set it through the API`;
}
