import { join } from 'node:path';
import { eventually, runProgram } from '../../e2e/program.ts';
import type { FailoverReceiver } from '../scene/receiver.ts';
import type { Scene } from '../scene/scene.ts';

const PAGE = 1_000;

interface FeedItem {
  readonly seq: number;
  readonly creditId: string;
}

/** What a receiver shows: the credit feed after a position, and the balances. */
interface Shown {
  readonly feed: readonly FeedItem[];
  readonly balances: string;
}

async function shownBy({ daemon }: FailoverReceiver, after: number): Promise<Shown> {
  const feed: FeedItem[] = [];
  for (;;) {
    const last = feed.at(-1)?.seq ?? after;
    const { data } = await daemon.get<{ data: FeedItem[] }>(
      `/v1/credits?after=${last}&limit=${PAGE}`,
    );
    feed.push(...data);
    if (data.length === 0) break;
  }
  const balances = await daemon.get<{ data: unknown }>(`/v1/balances`);
  return { feed, balances: JSON.stringify(balances.data) };
}

/** Compares what both receivers show, and keeps the cursor up to which the feed was read. */
export class ReplicaReading {
  /** Items of the feed read so far. */
  credits = 0;
  #after = 0;
  readonly #seen = new Set<string>();

  /** Problems since the last call. Nothing may be under way. */
  async compare({ receivers }: Scene): Promise<string[]> {
    const [one, two] = await shownTogether(receivers, this.#after);
    const problems: string[] = [];
    if (one.balances !== two.balances) problems.push('the receivers show different balances');
    if (JSON.stringify(one.feed) !== JSON.stringify(two.feed)) {
      problems.push(`the receivers show different credits after ${this.#after}`);
    }
    for (const { seq, creditId } of one.feed) {
      if (seq !== this.#after + 1)
        problems.push(`credit ${seq} follows ${this.#after} in the feed`);
      if (this.#seen.has(creditId)) problems.push(`${creditId} occurs twice in the feed`);
      this.#seen.add(creditId);
      this.#after = seq;
      this.credits += 1;
    }
    return problems;
  }
}

/** What both receivers show at one position; the owner's own work may move it meanwhile. */
function shownTogether(receivers: Scene['receivers'], after: number): Promise<[Shown, Shown]> {
  const [one, two] = receivers;
  const position = async (): Promise<number | undefined> => {
    const [first, second] = await Promise.all([one.ready(), two.ready()]);
    const { position: at } = first.receiver;
    return at === second.receiver.position ? at : undefined;
  };
  return eventually('the replicas are level', async () => {
    const before = await position();
    if (before === undefined) return undefined;
    const shown = await Promise.all([shownBy(one, after), shownBy(two, after)]);
    return (await position()) === before ? shown : undefined;
  });
}

/**
 * Audits both replicas and a copy of the journal: the seals, and each table against a replay. The
 * receivers must have ended.
 */
export async function audited(scene: Scene): Promise<string[]> {
  const copy = join(scene.receivers[0].daemon.folder, 'copy.db');
  const copied = await runProgram('copy', '--from', scene.store, '--to', `sqlite:${copy}`);
  const problems = copied.code === 0 ? [] : [`the journal cannot be copied: ${copied.stderr}`];
  const stores = [...scene.receivers.map(({ replica }) => replica), copy];
  for (const store of copied.code === 0 ? stores : stores.slice(0, -1)) {
    const { code, stdout, stderr } = await runProgram('verify', '--store', store);
    if (code !== 0) problems.push(`verify of ${store}: ${stdout}${stderr}`);
  }
  return problems;
}
