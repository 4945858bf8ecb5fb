import { sameExemptions, type ExemptionRule } from '../../domain/exemption.ts';
import type { Ledger } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import { CommandFailed } from '../terminal.ts';

/** The configuration's exemption rules become a decision when they differ from those set last. */
export async function takeExemptions(
  rules: readonly ExemptionRule[],
  { reads, ledger }: { readonly reads: Reads; readonly ledger: Ledger },
): Promise<void> {
  if (sameExemptions(await reads.exemptions(), rules)) return;
  const taken = await ledger.commit([
    {
      kind: 'decision',
      at: Date.now(),
      actor: 'config',
      decision: { kind: 'exemptions', rules },
    },
  ]);
  if (taken.kind === 'unavailable') {
    throw new CommandFailed(`the store cannot be written (${taken.cause}): check the disk`);
  }
}
