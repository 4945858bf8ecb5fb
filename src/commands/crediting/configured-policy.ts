import { samePolicy, type CreditingPolicy } from '../../domain/crediting.ts';
import { keepingHalts, scopeText, type HaltScope } from '../../domain/halt.ts';
import type { Ledger } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import type { PolicyRow } from '../../store/records.ts';
import { CommandFailed } from '../terminal.ts';

/** What a start makes of the configuration's policy. */
export type PolicyAtStart =
  /** The file says what it said last: whatever was set since stands. */
  | { readonly kind: 'stands'; readonly held: PolicyRow; readonly configured: CreditingPolicy }
  /** The file's policy is new, or another one than it was. */
  | {
      readonly kind: 'taken';
      readonly policy: CreditingPolicy;
      /** Halts that people had put on through the API; only they lift them. */
      readonly kept: readonly HaltScope[];
      /** What held until now, where anything did. */
      readonly replaced: PolicyRow | undefined;
    };

/**
 * A policy that was set through the API stands until the policy of the configuration itself
 * changes: a restart never undoes what a person has set, and a halt not even a changed file.
 */
export async function policyAtStart(
  configured: CreditingPolicy,
  reads: Pick<Reads, 'policy' | 'configuredPolicy'>,
): Promise<PolicyAtStart> {
  const held = await reads.policy();
  const last = await reads.configuredPolicy();
  if (held !== undefined && last !== undefined && samePolicy(last, configured)) {
    return { kind: 'stands', held, configured };
  }
  const before =
    held === undefined || last === undefined
      ? undefined
      : { policy: held.policy, configured: last };
  return { kind: 'taken', ...keepingHalts(configured, before), replaced: held };
}

/** Journals the configuration's policy where a start takes it. Throws `CommandFailed`. */
export async function takePolicy(
  configured: CreditingPolicy,
  store: { readonly reads: Reads; readonly ledger: Ledger },
): Promise<PolicyAtStart> {
  const start = await policyAtStart(configured, store.reads);
  if (start.kind === 'stands') return start;
  const { policy, kept } = start;
  const halts = kept.map(scopeText).join(', ');
  const reason =
    halts === ''
      ? 'the configuration says so'
      : `the configuration says so, and what people halted stays halted: ${halts}`;
  const taken = await store.ledger.commit([
    {
      kind: 'decision',
      at: Date.now(),
      actor: 'config',
      decision: { kind: 'policy', source: 'config', policy, configured, reason },
    },
  ]);
  if (taken.kind === 'unavailable') {
    throw new CommandFailed(`the store cannot be written (${taken.cause}): check the disk`);
  }
  return start;
}

/** What a start found, one sentence; null where there is nothing to tell. */
export function startText(start: PolicyAtStart): string | null {
  if (start.kind === 'stands') {
    const { source, actor, setAt, reason } = start.held;
    if (source === 'config') return null;
    const when = new Date(setAt).toISOString();
    return `the crediting policy is the one that ${actor} set through the API at ${when} (${reason}), not the configuration's`;
  }
  const { kept, replaced } = start;
  const undone =
    replaced?.source === 'api'
      ? [`it replaces the policy that ${replaced.actor} set through the API (${replaced.reason})`]
      : [];
  const halts = kept.map(scopeText).join(', ');
  const still = halts === '' ? [] : [`halted through the API, and still halted: ${halts}`];
  const told = [...undone, ...still];
  return told.length === 0
    ? null
    : `the crediting policy of the configuration has changed: ${told.join('; ')}`;
}
