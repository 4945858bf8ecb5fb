import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { freePort } from '../../e2e/program.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';

const PEOPLE = 6;
const HAND_OVERS = 6;

/** People who add notes at ready receivers in turn, as behind a proxy, each one after the other. */
class Office {
  readonly taken: string[] = [];
  readonly refused: string[] = [];
  /** Receivers to which the proxy sends. */
  readonly ready: Set<RealReceiver>;
  readonly #breakId: string;
  #isStopped = false;
  #next = 1;
  readonly #people: Promise<void>[];

  constructor(breakId: string, receivers: readonly RealReceiver[]) {
    this.#breakId = breakId;
    this.ready = new Set(receivers);
    this.#people = Array.from({ length: PEOPLE }, () => this.#decide());
  }

  goesOn(): Promise<void> {
    const before = this.taken.length;
    return until('decisions go on', () => this.taken.length > before + 20);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#people);
  }

  async #decide(): Promise<void> {
    while (!this.#isStopped) {
      const number = this.#next;
      this.#next += 1;
      const note = `note ${number}.`;
      const answer = await this.#answerTo(note, number);
      if (answer === 'taken') this.taken.push(note);
      if (answer.includes(': 503')) this.refused.push(`${note} ${answer}`);
    }
  }

  /** Like a proxy, tries the other receiver only where nobody listens. A lost connection is no refusal. */
  async #answerTo(note: string, number: number): Promise<string> {
    const ready = [...this.ready];
    for (const { daemon } of number % 2 === 0 ? ready : ready.toReversed()) {
      try {
        await daemon.post(`/v1/breaks/${this.#breakId}/notes`, { note });
        return 'taken';
      } catch (error) {
        const text = textOf(error);
        if (!/ECONNREFUSED|not running/.test(text)) return text;
      }
    }
    return 'nobody listens';
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = 'code' in error ? String(error.code) : '';
  return `${error.message} ${code} ${textOf(error.cause)}`;
}

/** A receiver that others reach directly: nothing between them hides that nobody listens. */
async function reachedDirectly(store: string, name: string): Promise<RealReceiver> {
  const port = await freePort();
  return receiverOf(store, name, { url: `http://127.0.0.1:${port}` }, { port });
}

/** How often the journal holds each note. */
async function keptNotes(cluster: PostgresCluster, store: string): Promise<Map<string, number>> {
  const schema = /schema=(\w+)/.exec(store)?.[1];
  const blocks = await cluster.sql<{ content: Buffer }>(`SELECT content FROM ${schema}.bodies`);
  const kept = new Map<string, number>();
  for (const { content } of blocks) {
    for (const [note] of inflateSync(content)
      .toString('utf8')
      .matchAll(/note \d+\./g)) {
      kept.set(note, (kept.get(note) ?? 0) + 1);
    }
  }
  return kept;
}

describe.runIf(isInstalled)('decisions amid orderly hand-overs', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
  });
  afterAll(() => cluster?.stop());

  test('none is refused, and each is kept once', async () => {
    const store = await newJournalUrl(cluster);
    let [owner, follower] = [await reachedDirectly(store, 'a'), await reachedDirectly(store, 'b')];
    await owner.start();
    await owner.becomes('owner');
    await follower.start();
    await follower.becomes('follower');
    await owner.daemon.deliver('{"id":"nobody understands this"}');
    const { data } = await owner.daemon.get<{ data: { breakId: string }[] }>('/v1/breaks');
    const office = new Office(data[0]?.breakId ?? '', [owner, follower]);
    for (let handOver = 0; handOver < HAND_OVERS; handOver += 1) {
      await office.goesOn();
      expect(await owner.daemon.end('SIGTERM')).toBe(0);
      office.ready.delete(owner);
      await follower.becomes('owner');
      await office.goesOn();
      await owner.start();
      await owner.becomes('follower');
      office.ready.add(owner);
      [owner, follower] = [follower, owner];
    }
    await office.stop();
    const kept = await keptNotes(cluster, store);
    expect(office.taken.filter((note) => kept.get(note) !== 1)).toEqual([]);
    expect([...kept].filter(([, times]) => times > 1)).toEqual([]);
    expect(office.refused).toEqual([]);
  });
});
