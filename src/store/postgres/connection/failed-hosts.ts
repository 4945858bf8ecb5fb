import { JournalUnavailable } from '../../replicated/shared-journal.ts';
import { shownHost, type Host } from '../address.ts';
import type { StatementFailed } from './statement-failure.ts';

/** Why no host of an address can be used. Each cause stands once, after the hosts that have it. */
export class FailedHosts {
  readonly #hosts = new Map<string, string[]>();

  add(host: Host, { message }: StatementFailed): void {
    const known = this.#hosts.get(message);
    if (known === undefined) this.#hosts.set(message, [shownHost(host)]);
    else known.push(shownHost(host));
  }

  failure(): JournalUnavailable {
    const causes = [...this.#hosts].map(([message, hosts]) => `${hosts.join(', ')}: ${message}`);
    return new JournalUnavailable(`PostgreSQL cannot be used. ${causes.join('; ')}`);
  }
}
