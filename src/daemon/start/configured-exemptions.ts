import { configuredIn } from '../../domain/break/held-exemptions.ts';
import { sameExemptions, type ExemptionRule } from '../../domain/break/exemption.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Reads } from '../../store/reads.ts';
import { CommandFailed } from '../process/terminal.ts';

/** Journals the configured exemption rules when they differ from the last ones. */
export async function takeExemptions(
  rules: readonly ExemptionRule[],
  { reads, queue }: { readonly reads: Reads; readonly queue: Pick<FactQueue, 'submit'> },
): Promise<void> {
  const held = await reads.exemptions();
  if (sameExemptions(configuredIn(held.rules), rules)) return;
  const taken = await queue.submit({
    kind: 'decision',
    at: Date.now(),
    actor: 'config',
    decision: { kind: 'exemptions', rules },
  });
  if (taken.kind === 'unavailable') {
    throw new CommandFailed(`the store cannot be written (${taken.cause}): check the disk`);
  }
}
