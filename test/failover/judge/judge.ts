import type { Scene } from '../scene/scene.ts';
import { JournalReading } from './journal.ts';
import { audited, ReplicaReading } from './replicas.ts';

/** What the judge found. */
export interface Verdict {
  readonly acknowledged: number;
  /** Ids that were acknowledged and are not in the journal. */
  readonly lost: readonly string[];
  /** Ids that the journal holds more than once. */
  readonly doubled: readonly string[];
  readonly facts: number;
  readonly credits: number;
  /** Everything else that is wrong, in words. */
  readonly problems: readonly string[];
}

/** Compares the acknowledgements of senders with what the journal and the receivers hold. */
export class Judge {
  readonly #scene: Scene;
  #journal = new JournalReading();
  readonly #replicas = new ReplicaReading();
  readonly #problems: string[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Looks at the journal since the last look. */
  async judgeJournal(): Promise<Verdict> {
    const client = await this.#scene.pair.connect();
    try {
      await this.#journal.readOn(client);
    } finally {
      await client.end();
    }
    return this.#verdict();
  }

  /** Looks at the journal and at both receivers since the last look, while the senders wait. */
  async judge(): Promise<Verdict> {
    const { senders } = this.#scene;
    await senders.hold();
    this.#problems.push(...(await this.#replicas.compare(this.#scene)));
    const verdict = await this.judgeJournal();
    senders.release();
    return verdict;
  }

  /** Reads everything once more from the beginning; ends the receivers and audits their replicas. */
  async judgeFinally(): Promise<Verdict> {
    const { senders, receivers } = this.#scene;
    await senders.hold();
    this.#problems.push(...(await new ReplicaReading().compare(this.#scene)));
    this.#problems.push(...(await this.#replicas.compare(this.#scene)));
    for (const { daemon } of receivers) await daemon.end('SIGTERM');
    this.#journal = new JournalReading();
    await this.judgeJournal();
    this.#problems.push(...(await audited(this.#scene)));
    return this.#verdict();
  }

  #verdict(): Verdict {
    const { acknowledged } = this.#scene.senders;
    const { kept, facts, problems } = this.#journal;
    const altered = [...acknowledged]
      .filter(([id, digest]) => kept.get(id)?.includes(digest) === false)
      .map(([id]) => `the journal holds ${id} with another content`);
    return {
      acknowledged: acknowledged.size,
      lost: [...acknowledged.keys()].filter((id) => !kept.has(id)),
      doubled: [...kept].filter(([, digests]) => digests.length > 1).map(([id]) => id),
      facts,
      credits: this.#replicas.credits,
      problems: [...this.#problems, ...problems, ...altered],
    };
  }
}
