import { collectDefaultMetrics, Registry } from 'prom-client';
import { CustodyMetrics } from './custody-metrics.ts';
import { DepositMetrics } from './deposit-metrics.ts';
import { Instruments } from './instruments.ts';
import { IntakeMetrics } from './intake-metrics.ts';
import { ReceiverMetrics } from './receiver-metrics.ts';
import { ReconciliationMetrics } from './reconciliation-metrics.ts';

/** Label values known at the start: `increase()` misses the step from none to one. */
export interface KnownLabels {
  readonly operations: readonly string[];
  readonly results: readonly string[];
  readonly skipCauses: readonly string[];
  readonly exemptionRules: readonly string[];
  readonly certificateRefusals: readonly string[];
}

const NONE_KNOWN: KnownLabels = {
  operations: [],
  results: [],
  skipCauses: [],
  exemptionRules: [],
  certificateRefusals: [],
};

/** The program's metrics on its own registry. Names end in their unit. */
export class Metrics {
  readonly #registry = new Registry();
  readonly intake: IntakeMetrics;
  readonly reconciliation: ReconciliationMetrics;
  readonly custody: CustodyMetrics;
  readonly deposits: DepositMetrics;
  readonly receiver: ReceiverMetrics;

  /** `now` in Unix milliseconds; `process` adds memory, CPU and event loop of this process. */
  constructor(options: { now: () => number; process?: boolean; known?: KnownLabels }) {
    const instruments = new Instruments(this.#registry, options.now);
    const known = options.known ?? NONE_KNOWN;
    this.intake = new IntakeMetrics(instruments, known, options.now);
    this.reconciliation = new ReconciliationMetrics(instruments, known);
    this.custody = new CustodyMetrics(instruments, known);
    this.deposits = new DepositMetrics(instruments);
    this.receiver = new ReceiverMetrics(instruments);
    if (options.process === true) {
      collectDefaultMetrics({ register: this.#registry, prefix: 'counterfoil_' });
    }
  }

  /** The page for `GET /metrics`. */
  async page(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}
