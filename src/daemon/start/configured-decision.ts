import type { Decision } from '../../domain/fact/decision.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import { CommandFailed } from '../process/terminal.ts';

/**
 * Journals a decision of the configuration. Throws `CommandFailed` when the store cannot take it now:
 * a start, or an owner's duties, must not go on without it.
 */
export async function journalConfigured(
  decision: Decision,
  queue: Pick<FactQueue, 'submit'>,
): Promise<void> {
  const fact = { kind: 'decision', at: Date.now(), actor: 'config', decision } as const;
  const outcome = await queue.submit(fact);
  if (outcome.kind === 'busy') throw new CommandFailed('the store is busy: too many facts wait');
  if (outcome.kind !== 'unavailable') return;
  throw new CommandFailed(`the store cannot be written (${outcome.cause}): check the disk`);
}
