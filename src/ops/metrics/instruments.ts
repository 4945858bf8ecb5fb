import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** Makes counters, gauges and histograms on one registry. */
export class Instruments {
  readonly #registry: Registry;
  /** Unix milliseconds. */
  readonly now: () => number;

  constructor(registry: Registry, now: () => number) {
    this.#registry = registry;
    this.now = now;
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  /** Makes a gauge of the seconds since `fromMs`, at each scrape; absent while `fromMs` is null. */
  age(name: string, help: string, fromMs: () => number | null): void {
    const age: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        const from = fromMs();
        if (from === null) age.remove();
        else age.set(this.secondsSince(from));
      },
    });
  }

  /** Seconds from a time in Unix milliseconds until now. */
  secondsSince(atMs: number): number {
    return (this.now() - atMs) / 1000;
  }
}
