import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What a link does with bytes.
 *
 * | mode | connections | bytes |
 * |---|---|---|
 * | `open` | are carried | pass |
 * | `stalled` | are taken and kept | wait, and so does the end of a connection |
 * | `cut` | are refused | none |
 */
type Mode = 'open' | 'stalled' | 'cut';

/** What happens when the caller sends a statement. */
export type AtStatement =
  /** It arrives. */
  | 'pass'
  /** It waits in the network with everything after it. */
  | 'stall'
  /** The connection breaks before it arrives. */
  | 'lost'
  /** It arrives, and the connection breaks before the answer. */
  | 'answer_lost';

interface Watch {
  readonly statement: Buffer;
  readonly effect: AtStatement;
  readonly seen: () => void;
}

/** One direction of a carried connection. */
interface Lane {
  readonly from: Socket;
  readonly to: Socket;
  readonly held: Buffer[];
  hasEnded: boolean;
}

/** The network between two programs: a fixed address before a server, which stalls or breaks. */
export class Link {
  readonly #server = createServer((socket) => this.#carry(socket));
  readonly #target: () => number;
  readonly #lanes = new Set<Lane>();
  #mode: Mode = 'open';
  #watch: Watch | null = null;
  /** The lane whose next bytes break the connection. */
  #breaksAt: Lane | null = null;

  /** `target`: the port of the server behind the link. */
  static async listen(target: () => number): Promise<Link> {
    const link = new Link(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  private constructor(target: () => number) {
    this.#target = target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Nothing arrives any more; what is sent meanwhile arrives after `open`. */
  stall(): void {
    this.#mode = 'stalled';
  }

  /** Breaks all connections and refuses new ones. */
  cut(): void {
    this.#mode = 'cut';
    this.#watch = null;
    this.#breaksAt = null;
    for (const { from } of this.#lanes) from.resetAndDestroy();
  }

  /** Carries everything, what was held back first. */
  open(): void {
    this.#mode = 'open';
    for (const lane of this.#lanes) {
      for (const chunk of lane.held.splice(0)) this.#pass(lane, chunk);
      if (lane.hasEnded) lane.to.end();
    }
  }

  /** Resolves when the caller has sent the prepared statement of a name, and `effect` has happened. */
  atStatement(name: string, effect: AtStatement): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = { statement: Buffer.from(`\0${name}\0`), effect, seen: resolve };
    });
  }

  /** Waits for no statement any more. */
  unwatch(): void {
    this.#watch = null;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #carry(caller: Socket): void {
    if (this.#mode === 'cut') {
      caller.resetAndDestroy();
      return;
    }
    const server = connect(this.#target(), '127.0.0.1');
    const there: Lane = { from: caller, to: server, held: [], hasEnded: false };
    const back: Lane = { from: server, to: caller, held: [], hasEnded: false };
    this.#run(there, (chunk) => this.#sent(there, back, chunk));
    this.#run(back, (chunk) => this.#answered(back, chunk));
  }

  #run(lane: Lane, take: (chunk: Buffer) => void): void {
    const { from, to } = lane;
    this.#lanes.add(lane);
    from.on('data', take);
    from.on('error', () => from.destroy());
    from.on('close', () => {
      lane.hasEnded = true;
      if (this.#mode === 'stalled') return;
      this.#lanes.delete(lane);
      to.end();
    });
    to.on('close', () => {
      if (!lane.hasEnded) from.resetAndDestroy();
      this.#lanes.delete(lane);
    });
    to.on('drain', () => from.resume());
  }

  #sent(there: Lane, back: Lane, chunk: Buffer): void {
    const watch = this.#watch;
    if (watch === null || !chunk.includes(watch.statement)) {
      this.#move(there, chunk);
      return;
    }
    this.#watch = null;
    switch (watch.effect) {
      case 'pass':
        this.#move(there, chunk);
        break;
      case 'stall':
        this.stall();
        this.#move(there, chunk);
        break;
      case 'lost':
        this.cut();
        break;
      case 'answer_lost':
        this.#breaksAt = back;
        this.#move(there, chunk);
        return void back.from.once('data', watch.seen);
      default:
        watch.effect satisfies never;
    }
    watch.seen();
  }

  #answered(back: Lane, chunk: Buffer): void {
    if (this.#breaksAt === back) this.cut();
    else this.#move(back, chunk);
  }

  #move(lane: Lane, chunk: Buffer): void {
    if (this.#mode === 'stalled') lane.held.push(chunk);
    else this.#pass(lane, chunk);
  }

  #pass({ from, to }: Lane, chunk: Buffer): void {
    if (to.writable && !to.write(chunk)) from.pause();
  }
}
