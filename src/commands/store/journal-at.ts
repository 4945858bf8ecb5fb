import { CommandFailed } from '../../daemon/process/terminal.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { AddressRefused, journalAddress } from '../../store/postgres/address.ts';
import { PostgresJournal } from '../../store/postgres/postgres-journal.ts';
import { JournalUnavailable, type SharedJournal } from '../../store/replicated/shared-journal.ts';

/** While a command appends, no receiver may take the journal. */
export const LEASE_SECONDS = 30;

/** What commands know of the program. */
export interface CommandContext {
  readonly environment: Environment;
  readonly version: string;
}

/** Whether a store is named by the address of a database, and not by a file. */
export function isDatabase(store: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(store);
}

/** Opens the shared journal at `url`, works with it, and closes it. Throws `CommandFailed`. */
export async function withJournal<Result>(
  url: string,
  options: CommandContext & {
    /** The command's name, under which it reads the journal. */
    readonly command: string;
    readonly standby: 'required' | 'ignored';
  },
  work: (journal: SharedJournal) => Promise<Result>,
): Promise<Result> {
  const { command, environment, version, standby } = options;
  let journal: SharedJournal | undefined;
  try {
    journal = new PostgresJournal({
      address: journalAddress(url, { password: environment['PGPASSWORD'], from: 'PGPASSWORD' }),
      receiver: { name: command, url: '', version },
      leaseSeconds: LEASE_SECONDS,
      standby,
    });
    return await work(journal);
  } catch (error) {
    if (error instanceof AddressRefused) throw new CommandFailed(error.message, 2);
    if (error instanceof JournalUnavailable) throw new CommandFailed(error.message);
    throw error;
  } finally {
    await journal?.close();
  }
}
