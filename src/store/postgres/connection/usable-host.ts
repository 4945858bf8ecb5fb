import { JournalUnavailable } from '../../replicated/shared-journal.ts';
import { shownHost, type Host } from '../address.ts';
import { StatementFailed } from './statement-failure.ts';

/**
 * What the first host that can be used gives. `open` throws `StatementFailed` for a host that cannot.
 * Throws `JournalUnavailable` when none can: each cause stands once, after the hosts that have it.
 */
export async function firstUsable<Result>(
  hosts: readonly Host[],
  open: (host: Host) => Promise<Result>,
): Promise<Result> {
  const failed = new Map<string, string[]>();
  for (const host of hosts) {
    try {
      return await open(host);
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      const { message } = error;
      failed.set(message, [...(failed.get(message) ?? []), shownHost(host)]);
    }
  }
  const causes = [...failed].map(([message, names]) => `${names.join(', ')}: ${message}`);
  throw new JournalUnavailable(`PostgreSQL cannot be used. ${causes.join('; ')}`);
}
