import { samePolicy, type CreditingPolicy } from '../../domain/policy/policy.ts';
import { keepingHalts, scopeText, type HaltScope } from '../../domain/policy/halt.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Reads } from '../../store/reads.ts';
import type { PolicyRow } from '../../store/records.ts';
import { CommandFailed } from '../process/terminal.ts';

/** What a start does with the configured policy. */
export type PolicyAtStart =
  /** The file is unchanged: the current policy stays. */
  | { readonly kind: 'unchanged'; readonly held: PolicyRow; readonly configured: CreditingPolicy }
  /** The file's policy is new or changed. */
  | {
      readonly kind: 'taken';
      readonly policy: CreditingPolicy;
      /** Halts set by people through the API; only people lift them. */
      readonly kept: readonly HaltScope[];
      /** The policy so far, if any. */
      readonly replaced: PolicyRow | undefined;
    };

/**
 * A policy set through the API stays until the configured policy changes. So a restart never undoes
 * a person's change, and even a changed file lifts no halt.
 */
export async function policyAtStart(
  configured: CreditingPolicy,
  reads: Pick<Reads, 'policy' | 'configuredPolicy'>,
): Promise<PolicyAtStart> {
  const held = await reads.policy();
  const last = await reads.configuredPolicy();
  if (held !== undefined && last !== undefined && samePolicy(last, configured)) {
    return { kind: 'unchanged', held, configured };
  }
  const before =
    held === undefined || last === undefined
      ? undefined
      : { policy: held.policy, configured: last };
  return { kind: 'taken', ...keepingHalts(configured, before), replaced: held };
}

/** Journals the configured policy when a start adopts it. Throws `CommandFailed`. */
export async function takePolicy(
  configured: CreditingPolicy,
  store: { readonly reads: Reads; readonly queue: Pick<FactQueue, 'submit'> },
): Promise<PolicyAtStart> {
  const start = await policyAtStart(configured, store.reads);
  if (start.kind === 'unchanged') return start;
  const { policy, kept } = start;
  const halts = kept.map(scopeText).join(', ');
  const reason =
    halts === ''
      ? 'the configuration says so'
      : `the configuration says so, and what people halted stays halted: ${halts}`;
  const taken = await store.queue.submit({
    kind: 'decision',
    at: Date.now(),
    actor: 'config',
    decision: { kind: 'policy', source: 'config', policy, configured, reason },
  });
  if (taken.kind === 'unavailable') {
    throw new CommandFailed(`the store cannot be written (${taken.cause}): check the disk`);
  }
  return start;
}

/** A sentence about the policy at start; null when nothing changed. */
export function startText(start: PolicyAtStart): string | null {
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
