import { RequestBudget, within, type Reservation } from './budget.ts';
import { MemoryRequestLog, UNDER_WAY_MS_MAX, type RequestLog } from './request-log.ts';
import type { SharedCount } from './shared-count.ts';

/** Pause when the shared count has no room although this process knows of some. */
const FULL_MS = 1_000;
/** A request that was counted longer ago would be under way for longer than the windows assume. */
const COUNTED_MS_MAX = UNDER_WAY_MS_MAX / 2;

type Wanted = Parameters<RequestBudget['reserve']>[0];

/**
 * The budget of a client: with a log of its machine, or with a count that machines share. `count`
 * replaces `log`. `now` gives Unix milliseconds.
 */
export function budgetOf({
  log,
  count,
  now,
}: {
  readonly log?: RequestLog | undefined;
  readonly count?: SharedCount | undefined;
  readonly now: () => number;
}): { budget: RequestBudget; reserve: (wanted: Wanted) => Promise<Reservation> | Reservation } {
  if (count === undefined) {
    const budget = new RequestBudget({ now, ...(log === undefined ? {} : { log }) });
    return { budget, reserve: (wanted) => budget.reserve(wanted) };
  }
  const own = new MemoryRequestLog();
  const budget = new RequestBudget({ now, log: own });
  const counted = new CountedBudget({ budget, log: own, count, now });
  return { budget, reserve: (wanted) => counted.reserve(wanted) };
}

/**
 * A budget that several machines share. The own log decides by lane and pace; the shared count
 * decides whether the limits leave room, and what it refuses is not sent. A process that takes over
 * first learns what the others have sent.
 */
class CountedBudget {
  readonly #budget: RequestBudget;
  readonly #log: MemoryRequestLog;
  readonly #count: SharedCount;
  readonly #now: () => number;
  #hasLearnt = false;

  constructor(options: {
    budget: RequestBudget;
    /** The log of `budget`. */
    log: MemoryRequestLog;
    count: SharedCount;
    now: () => number;
  }) {
    this.#budget = options.budget;
    this.#log = options.log;
    this.#count = options.count;
    this.#now = options.now;
  }

  async reserve(wanted: Wanted): Promise<Reservation> {
    if (!this.#hasLearnt) {
      const failure = await this.#learn();
      if (failure !== null) return failure;
    }
    const reserved = this.#budget.reserve(wanted);
    if (reserved.kind !== 'now') return reserved;
    const askedAtMs = this.#now();
    const counted = await this.#count.start(wanted.priority);
    if (counted.kind === 'failed') {
      reserved.cancel();
      return { kind: 'unrecorded', detail: counted.detail };
    }
    if (counted.value === null) {
      reserved.cancel();
      return (await this.#learn()) ?? this.#laterThanNow(wanted);
    }
    const id = counted.value;
    if (this.#now() - askedAtMs > COUNTED_MS_MAX) {
      reserved.cancel();
      return { kind: 'unrecorded', detail: 'counting the request took too long' };
    }
    return {
      kind: 'now',
      finish: (serviceCount) => {
        reserved.finish(serviceCount);
        this.#count.finish(id);
      },
      cancel: () => {
        reserved.cancel();
        this.#count.finish(id);
      },
    };
  }

  /** Takes over what everybody has sent; null when that succeeded. */
  async #learn(): Promise<Reservation | null> {
    const recent = await this.#count.recent();
    if (recent.kind === 'failed') return { kind: 'unrecorded', detail: recent.detail };
    this.#log.adopt(recent.value, this.#now());
    this.#hasLearnt = true;
    return null;
  }

  #laterThanNow({ priority, deadlineMs }: Wanted): Reservation {
    const atMs = Math.max(this.#now() + FULL_MS, this.#budget.roomAtMs(priority));
    return within(atMs, deadlineMs);
  }
}
