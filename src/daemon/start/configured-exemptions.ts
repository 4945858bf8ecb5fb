import { configuredIn } from '../../domain/break/held-exemptions.ts';
import { sameExemptions, type ExemptionRule } from '../../domain/break/exemption.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Reads } from '../../store/reads.ts';
import { journalConfigured } from './configured-decision.ts';

/**
 * Journals the configured exemption rules when they differ from the last ones; whether they have
 * replaced others. Throws `CommandFailed`.
 */
export async function takeExemptions(
  rules: readonly ExemptionRule[],
  { reads, queue }: { readonly reads: Reads; readonly queue: Pick<FactQueue, 'submit'> },
): Promise<boolean> {
  const held = await reads.exemptions();
  if (sameExemptions(configuredIn(held.rules), rules)) return false;
  await journalConfigured({ kind: 'exemptions', rules }, queue);
  return held.configuredAt !== null;
}
