import { changedSince } from '../fact/basis.ts';
import { partsOf, resolved, type Break, type BreakStep } from './break.ts';
import type { Decision, Refusal } from '../fact/decision.ts';

export type BreakDecision = Extract<
  Decision,
  { kind: 'investigate' | 'resolve' | 'assign' | 'note' }
>;

/**
 * Handles a person's decision about a break: `open → investigating → resolved`, with notes and an
 * assignee. A note may follow the resolution, and any change: it decides nothing.
 */
export function handleBreakDecision(
  known: Break,
  decision: BreakDecision,
  by: { actor: string; at: number },
): ({ kind: 'taken' } & BreakStep) | { kind: 'refused'; refusal: Refusal } {
  const { actor, at } = by;
  if (known.state === 'resolved' && decision.kind !== 'note') {
    const detail = `resolved already by ${known.resolvedBy}: ${known.resolution}`;
    return { kind: 'refused', refusal: { kind: 'conflict', detail } };
  }
  const stale = decision.kind === 'note' ? null : changedSince(partsOf(known), decision.basis);
  if (stale !== null) return { kind: 'refused', refusal: { kind: 'conflict', detail: stale } };
  const event = { breakId: known.breakId, at, actor, before: null, after: null };
  const after = { ...known, updatedAt: at };
  switch (decision.kind) {
    case 'investigate': {
      const { reason } = decision;
      return {
        kind: 'taken',
        after: { ...after, state: 'investigating' },
        event: { ...event, action: 'investigating', reason },
      };
    }
    case 'resolve':
      return { kind: 'taken', ...resolved(known, { actor, reason: decision.reason, at }) };
    case 'note':
      return { kind: 'taken', after, event: { ...event, action: 'noted', reason: decision.note } };
    case 'assign': {
      const { assignee } = decision;
      const reason = `${known.assignee ?? 'nobody'} → ${assignee ?? 'nobody'}: ${decision.reason}`;
      return {
        kind: 'taken',
        after: { ...after, assignee },
        event: { ...event, action: 'assigned', reason },
      };
    }
    default:
      return decision satisfies never;
  }
}
