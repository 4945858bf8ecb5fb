import { expect, test } from 'vitest';
import { RequestBudget } from '../../../src/custody/budget/budget.ts';
import type { Priority } from '../../../src/custody/budget/lane.ts';
import { serviceCount, silentUntil } from '../../../src/custody/budget/rate-header.ts';
import { countRequest, type RateRecord } from '../../../src/simulator/api/request/rate-limit.ts';
import { FOREVER } from './reservations.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const HOURS = 2;
/** How long a request is on its way to the service, and its answer on its way back. */
const WAY_MS = 150;
/** The second journal begins later. */
const LATER_MS = 40;

interface Answered {
  /** The journal that asked: 0 or 1. */
  readonly journal: number;
  /** The service's hour: 0, 1, … */
  readonly hour: number;
  readonly isRefused: boolean;
}

/** Two journals, each with a budget of its own, and one service that counts them as one API client. */
class SharedClient {
  readonly answered: Answered[] = [];
  #now = START_MS;
  #events: { readonly atMs: number; readonly run: () => void }[] = [];
  #record: RateRecord | undefined;
  readonly #hasHeaders: boolean;

  constructor(options: { readonly hasHeaders: boolean }) {
    this.#hasHeaders = options.hasHeaders;
  }

  /** Plays two hours in which each journal asks whenever its budget has room for the priority. */
  play(priority: Priority): void {
    for (const journal of [0, 1]) {
      const budget = new RequestBudget({ now: () => this.#now });
      this.#later(journal * LATER_MS, () => this.#ask(budget, { journal, priority }));
    }
    while (this.#now < START_MS + HOURS * HOUR_MS) {
      const [next] = this.#events.toSorted((left, right) => left.atMs - right.atMs);
      if (next === undefined) throw new Error('a journal asks no more');
      this.#events = this.#events.filter((event) => event !== next);
      this.#now = next.atMs;
      next.run();
    }
  }

  #later(ms: number, run: () => void): void {
    this.#events.push({ atMs: this.#now + ms, run });
  }

  #ask(
    budget: RequestBudget,
    who: { readonly journal: number; readonly priority: Priority },
  ): void {
    const again = (): void => this.#ask(budget, who);
    const reserved = budget.reserve({ priority: who.priority, deadlineMs: FOREVER });
    if (reserved.kind === 'wait-until') {
      this.#later(Math.max(1, reserved.atMs - this.#now), again);
      return;
    }
    if (reserved.kind !== 'now') throw new Error(reserved.kind);
    this.#later(WAY_MS, () => {
      const answer = this.#serve(who.journal);
      this.#later(WAY_MS, () => {
        const nowMs = this.#now;
        reserved.finish(serviceCount(answer.headers, nowMs));
        const untilMs = silentUntil({ ...answer, nowMs });
        if (untilMs !== undefined) budget.silence(untilMs);
        again();
      });
    });
  }

  #serve(journal: number): { status: number; headers: Record<string, string> } {
    const { record, allowed, headers } = countRequest('both', this.#record, this.#now);
    this.#record = record;
    const hour = Math.floor((this.#now - START_MS) / HOUR_MS);
    this.answered.push({ journal, hour, isRefused: !allowed });
    const shown: Record<string, string> = {};
    if (this.#hasHeaders) {
      for (const [name, value] of Object.entries(headers)) shown[name.toLowerCase()] = value;
    }
    return { status: allowed ? 200 : 429, headers: shown };
  }

  /** The answers, or refusals, of each hour: those of the first and of the second journal. */
  counts(isRefused: boolean): number[][] {
    return Array.from({ length: HOURS }, (_, hour) =>
      [0, 1].map(
        (journal) =>
          this.answered.filter(
            (one) => one.hour === hour && one.journal === journal && one.isRefused === isRefused,
          ).length,
      ),
    );
  }
}

/** Each row is an hour, with the first and the second journal's requests. */
test.each([
  {
    priority: 'verification',
    answered: [
      [500, 500],
      [500, 500],
    ],
    // Whoever asks first after the other has used the last request.
    refused: [
      [1, 0],
      [0, 1],
    ],
  },
  {
    priority: 'sweep',
    // A sweep leaves the rest of each limit to verification.
    answered: [
      [459, 458],
      [458, 459],
    ],
    refused: [
      [0, 0],
      [0, 0],
    ],
  },
] as const)(
  "two journals with one API client keep to the service's limit of an hour by the count in its answers ($priority)",
  ({ priority, answered, refused }) => {
    const client = new SharedClient({ hasHeaders: true });
    client.play(priority);
    expect(client.counts(false)).toEqual(answered);
    expect(client.counts(true)).toEqual(refused);
  },
);

test('without a count in the answers, two journals with one API client run into the limit of an hour again and again', () => {
  const client = new SharedClient({ hasHeaders: false });
  client.play('verification');
  expect(client.counts(true)).toEqual([
    [28, 28],
    [28, 28],
  ]);
});
