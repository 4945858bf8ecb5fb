import { Worker } from 'node:worker_threads';

/** One period of work and rest: about as long as a page takes. */
const PERIOD_MS = 20;

const WORK = `
  const { workerData: { busyMs, restMs } } = require('node:worker_threads');
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    Atomics.wait(never, 0, 0, restMs);
  }`;

/** Keeps so many cores busy, with work that has nothing to do with a server, until `end`. */
export class BusyCores {
  readonly #workers: readonly Worker[];

  constructor(cores: number) {
    const threads = Math.ceil(cores);
    const busyMs = threads === 0 ? 0 : (PERIOD_MS * cores) / threads;
    const workerData = { busyMs, restMs: PERIOD_MS - busyMs };
    this.#workers = Array.from(
      { length: threads },
      () => new Worker(WORK, { eval: true, workerData }),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
