import { journalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { LEASE_SECONDS_MAX } from '../../../src/store/postgres/journal-statements.ts';
import { PostgresJournal } from '../../../src/store/postgres/postgres-journal.ts';
import type {
  Acquired,
  Appended,
  Following,
  JournalHead,
  Owner,
  SealedCommit,
  SharedJournal,
} from '../../../src/store/replicated/shared-journal.ts';
import type { TwoConnections } from '../replicated/followed-ledger.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
let schemas = 0;

/** A new journal in a schema of its own of a server, made when it is first asked. */
export function inPostgres(serverUrl: string): TwoConnections {
  schemas += 1;
  const address = journalAddress(`${serverUrl}?schema=suite_${process.pid}_${schemas}`);
  let made: Promise<void> | undefined;
  const receiver = (name: string): SharedJournal =>
    new NewJournal(async () => {
      made ??= initJournal(address, { nowMs: NOW_MS }).then(() => undefined);
      await made;
      return new PostgresJournal({
        address,
        receiver: { name, url: `http://${name}.test`, version: '0.1.0' },
        // The longest: more than a busy machine takes for a test.
        leaseSeconds: LEASE_SECONDS_MAX,
        standby: 'optional',
        answerMsMax: 60_000,
      });
    });
  return { owner: receiver('owner'), follower: receiver('follower') };
}

/** A journal that is created by its first use. */
class NewJournal implements SharedJournal {
  readonly #create: () => Promise<SharedJournal>;
  #created: Promise<SharedJournal> | undefined;

  constructor(create: () => Promise<SharedJournal>) {
    this.#create = create;
  }

  #journal(): Promise<SharedJournal> {
    this.#created ??= this.#create();
    return this.#created;
  }

  async acquire(): Promise<Acquired> {
    return (await this.#journal()).acquire();
  }

  async renew(epoch: number, head: JournalHead): Promise<boolean> {
    return (await this.#journal()).renew(epoch, head);
  }

  async release(epoch: number | null): Promise<void> {
    return (await this.#journal()).release(epoch);
  }

  async append(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended> {
    return (await this.#journal()).append(epoch, commit);
  }

  async read(after: JournalHead, factsMax: number): Promise<Following> {
    return (await this.#journal()).read(after, factsMax);
  }

  async head(): Promise<JournalHead> {
    return (await this.#journal()).head();
  }

  async owner(): Promise<Owner | null> {
    return (await this.#journal()).owner();
  }

  async close(): Promise<void> {
    await (await this.#created)?.close();
  }
}
