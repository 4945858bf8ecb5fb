import type { FromWriter } from './messages.ts';

/** A transaction that the writer tried. `failed`: nothing of it was kept. */
export interface CommitObserved {
  readonly facts: number;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** The transaction that a message of the writer tells of; null where it tells of none. */
export function commitObserved(message: FromWriter): CommitObserved | null {
  const { kind } = message;
  switch (kind) {
    case 'committed':
    case 'unavailable':
    case 'failed': {
      const { parts, durationMs } = message;
      const facts = parts.reduce((sum, part) => sum + part.facts, 0);
      return { facts, durationMs, failed: kind !== 'committed' };
    }
    case 'parted':
      return { facts: message.facts, durationMs: message.durationMs, failed: true };
    case 'opening':
    case 'open':
    case 'refused':
    case 'closed':
      return null;
    default:
      return message satisfies never;
  }
}
