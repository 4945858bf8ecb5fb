import { DUTY_STEPS, type Duties, type DutyStep } from './duties.ts';

/** The duties, as far as their life is concerned. */
export type LivingDuties = Pick<Duties, 'prepare' | 'start' | 'stop'>;

/**
 * Whether this receiver owns the books, and so has duties. With SQLite it always does.
 *
 * Modes: without duties → preparing (`begin`) → prepared → on duty (`start`) → ending (`end`) →
 * without duties.
 */
export class Ownership<Kept extends LivingDuties = Duties> {
  readonly #create: () => Kept;
  #duties: Kept | null = null;
  #isStarted = false;
  readonly #stopped = new Set<DutyStep>();

  /** `create`: makes the duties of one ownership. */
  constructor(create: () => Kept) {
    this.#create = create;
  }

  /** The duties; null while another receiver is the owner. */
  get duties(): Kept | null {
    return this.#duties;
  }

  /** Creates the duties and prepares them. Rejects with `CommandFailed`; then there are none. */
  async begin(): Promise<void> {
    if (this.#duties !== null) throw new Error('the duties of this receiver have begun already');
    const duties = this.#create();
    this.#stopped.clear();
    this.#duties = duties;
    try {
      await duties.prepare();
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  start(): void {
    if (this.#isStarted) throw new Error('the duties of this receiver have started already');
    this.#isStarted = true;
    this.#duties?.start();
  }

  /** One step of the end; the shutdown of the daemon gives each its own time limit. */
  async stop(step: DutyStep): Promise<void> {
    if (this.#stopped.has(step)) return;
    this.#stopped.add(step);
    await this.#duties?.stop(step);
  }

  /** Ends all duties in order; resolves when none works any more. */
  async end(): Promise<void> {
    for (const step of DUTY_STEPS) await this.stop(step);
    this.#duties = null;
    this.#isStarted = false;
    this.#stopped.clear();
  }
}
