import { samePolicy, type CreditingPolicy } from '../../domain/policy/policy.ts';
import { keepingHalts, scopeText, type HaltScope } from '../../domain/policy/halt.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Reads } from '../../store/reads.ts';
import type { PolicyRow } from '../../store/records.ts';
import { journalConfigured } from './configured-decision.ts';

/** What a start does with the configured policy. */
export type PolicyAtStart =
  /** The file is unchanged: the current policy stays. */
  | { readonly kind: 'unchanged'; readonly held: PolicyRow; readonly configured: CreditingPolicy }
  /** A receiver applied the file's policy earlier, and it was replaced: the current policy stays. */
  | { readonly kind: 'former'; readonly held: PolicyRow; readonly configured: CreditingPolicy }
  /** The file's policy is new or changed. */
  | {
      readonly kind: 'taken';
      readonly policy: CreditingPolicy;
      /** Halts set by people through the API; only people lift them. */
      readonly kept: readonly HaltScope[];
      /** The policy so far, if any. */
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
  if (held !== undefined && last !== undefined && samePolicy(last, configured)) {
    return { kind: 'unchanged', held, configured };
  }
  if (held !== undefined && isShared && (await wasApplied(configured, reads))) {
    return { kind: 'former', held, configured };
  }
  const before =
    held === undefined || last === undefined
      ? undefined
      : { policy: held.policy, configured: last };
  return { kind: 'taken', ...keepingHalts(configured, before), replaced: held };
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
  if (start.kind === 'former') return formerText(start);
  if (start.kind === 'unchanged') {
    const { source, actor, setAt, reason } = start.held;
    if (source === 'config') return null;
    const when = new Date(setAt).toISOString();
    return `in force is the crediting policy that ${actor} set through the API at ${when} (${reason}), not the configuration's`;
  }
  const { kept, replaced } = start;
  const undone =
    replaced?.source === 'api'
      ? [`it replaces the policy that ${replaced.actor} set through the API (${replaced.reason})`]
      : [];
  const halts = kept.map(scopeText).join(', ');
  const still = halts === '' ? [] : [`halted through the API, and still halted: ${halts}`];
  const changes = [...undone, ...still];
  return changes.length === 0
    ? null
    : `the crediting policy of the configuration has changed: ${changes.join('; ')}`;
}

function formerText({
  held,
  configured,
}: Extract<PolicyAtStart, { kind: 'former' }>): string | null {
  if (samePolicy(held.policy, configured)) return null;
  const when = new Date(held.setAt).toISOString();
  return `in force is the crediting policy that ${held.actor} set at ${when} (${held.reason}), not this receiver's: a receiver applied this one before, and none applies a policy twice. Give all receivers the same crediting; to bring this policy back, set it through the API`;
}
