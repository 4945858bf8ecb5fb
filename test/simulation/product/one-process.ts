import { join } from 'node:path';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { RunAnswer } from '../../../src/api/services.ts';
import type { CloseResult } from '../../../src/reconcile/close/close.ts';
import type { Submitted } from '../../../src/store/port.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import type { Duties } from './duties.ts';
import { DIED, Life } from './process-state.ts';
import type { ApiCaller } from './network.ts';
import { Process } from './process.ts';
import type { Delivered, Product, ProductOptions, WantedDays } from './product.ts';
import { copyCrashed } from './store-files.ts';

const NAME = 'product';

/**
 * The product over one store: a process that can be killed at any instant and started again on what
 * its file held at that instant.
 */
export class OneProcess implements Product {
  readonly mayKeepRefused = false;
  readonly #options: ProductOptions;
  readonly #dead: Process[] = [];
  #running: { readonly process: Process; readonly duties: Duties } | undefined;
  #generation = 0;
  #skewMs = 0;

  constructor(options: ProductOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#running !== undefined;
  }

  get paths(): readonly [string] {
    return [join(this.#options.folder, `store-${this.#generation}.db`)];
  }

  get reads(): SqliteReads | undefined {
    return this.#running?.process.reads;
  }

  caller(networkName: string): ApiCaller | undefined {
    const process = this.#running?.process;
    return process?.networkName === networkName ? process : undefined;
  }

  now(): number {
    return this.#options.clock.now() + this.#skewMs;
  }

  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** Starts on the file of the last process. */
  async start(): Promise<void> {
    if (this.#running !== undefined) throw new Error('it is running');
    const process = new Process({
      ...this.#options,
      name: NAME,
      path: this.paths[0],
      life: new Life(),
      now: () => this.now(),
      die: () => this.kill(),
    });
    const duties = process.newDuties();
    this.#running = { process, duties };
    await process.life.whileAwake(duties.prepare());
  }

  /** Kills the process; what its file and log hold now is what the next one finds. */
  kill(): void {
    const dying = this.#running?.process;
    if (dying === undefined) return;
    this.#running = undefined;
    dying.life.die();
    this.#dead.push(dying);
    const [from] = this.paths;
    this.#generation += 1;
    copyCrashed(from, this.paths[0], this.#options.tornBytes());
  }

  async injectFault(): Promise<void> {
    // Failed commits, kills and faults of the custody API are enough for one process.
  }

  async idle(): Promise<void> {
    if (this.#running === undefined) return;
    const { process, duties } = this.#running;
    await process.life.whileAwake(duties.idle());
  }

  async heal(): Promise<void> {
    if (!this.isUp) await this.start();
  }

  async deliver(body: Uint8Array): Promise<Delivered> {
    return this.#running?.process.deliver(body) ?? DIED;
  }

  async sweep(): Promise<RunAnswer | typeof DIED> {
    if (this.#running === undefined) return DIED;
    const { process, duties } = this.#running;
    return process.life.whileAwake(duties.sweep());
  }

  async verify(): Promise<'idle' | 'asked' | typeof DIED> {
    if (this.#running === undefined) return DIED;
    const { process, duties } = this.#running;
    return process.life.whileAwake(duties.verify());
  }

  async closeDays(wanted: WantedDays): Promise<CloseResult | typeof DIED> {
    if (this.#running === undefined) return DIED;
    const { process, duties } = this.#running;
    return process.life.whileAwake(duties.closeDays(wanted));
  }

  async decide(decision: Decision, actor: string): Promise<Submitted | typeof DIED> {
    return this.#running?.process.decide(decision, actor) ?? DIED;
  }

  async problems(): Promise<readonly string[]> {
    return [];
  }

  extent(): Readonly<Record<string, number>> {
    return {};
  }

  async close(): Promise<void> {
    const last = this.#running?.process;
    this.#running = undefined;
    last?.life.die();
    for (const each of last === undefined ? this.#dead : [...this.#dead, last]) {
      await each.release();
    }
  }
}
