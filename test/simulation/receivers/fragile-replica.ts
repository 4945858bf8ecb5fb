import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CommitNews } from '../../../src/store/commit-news.ts';
import { StoreFailed } from '../../../src/store/port.ts';
import type { Prepared, Replica } from '../../../src/store/replicated/replica.ts';
import type { JournalHead, SealedCommit } from '../../../src/store/replicated/shared-journal.ts';

/** A replica whose disk fails now and then, before and after the journal has kept a commit. */
export class FragileReplica implements Replica {
  readonly #replica: Replica;
  readonly #fails: () => boolean;

  constructor(replica: Replica, fails: () => boolean) {
    this.#replica = replica;
    this.#fails = fails;
  }

  get head(): JournalHead {
    return this.#replica.head;
  }

  prepare(facts: readonly Fact[]): Prepared {
    if (this.#fails()) throw full();
    return this.#replica.prepare(facts);
  }

  keep(): CommitNews | undefined {
    if (!this.#fails()) return this.#replica.keep();
    this.#replica.drop();
    throw full();
  }

  drop(): void {
    this.#replica.drop();
  }

  follow(commits: readonly SealedCommit[]): void {
    if (this.#fails()) throw full();
    this.#replica.follow(commits);
  }
}

function full(): StoreFailed {
  return new StoreFailed(new Error('SQLITE_FULL: the simulation filled the disk'));
}
