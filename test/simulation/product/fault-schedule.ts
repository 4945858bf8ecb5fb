import { Chance } from '../seeded-draws.ts';
import type { CommitFate } from './fragile-ledger.ts';

/** What the network does to a webhook on its way to the product, or to the answer. */
export type WebhookFate =
  | 'passes'
  | 'request-lost'
  | 'response-lost'
  | 'gateway-error'
  | 'truncated'
  | 'twice-at-once'
  /** Answered 200 by something in between, and lost: only the custody API knows of it then. */
  | 'swallowed'
  | 'hangs';

/** What it does to a request of the product's client. */
export type ApiFate = 'passes' | 'request-lost' | 'response-lost' | 'hangs';

/** A fault set of the core, as `PUT /sim/faults` takes it. */
export type CoreFaults = Readonly<Record<string, unknown>> & {
  readonly api?: readonly CoreFault[];
};

type CoreFault = Readonly<Record<string, unknown>> & { readonly fault: string };

interface FaultRates {
  readonly webhook: Readonly<Record<WebhookFate, number>>;
  readonly api: Readonly<Record<ApiFate, number>>;
  readonly commit: Readonly<Record<CommitFate, number>>;
  /** Chance that the world moves on between two requests of one sweep. */
  readonly bustle: number;
  readonly core: CoreFaults;
}

const CALM: FaultRates = {
  webhook: {
    passes: 1,
    'request-lost': 0,
    'response-lost': 0,
    'gateway-error': 0,
    truncated: 0,
    'twice-at-once': 0,
    swallowed: 0,
    hangs: 0,
  },
  api: { passes: 1, 'request-lost': 0, 'response-lost': 0, hangs: 0 },
  commit: { kept: 1, 'disk-full': 0, 'dies-before': 0, 'dies-after': 0 },
  bustle: 0,
  core: {},
};

const BUSTLE_MAX = 0.8;
/** A webhook that hangs costs a second of real time: few of them, and not in every run. */
const WEBHOOK_HANGS_MAX = 1;
const RUNS_WITH_HANGS = 0.25;
const RUNS_WITH_LOSSES = 0.3;

/** Everything that goes wrong between and inside the two programs, by seed and changing over time. */
export class FaultSchedule {
  readonly #chance: Chance;
  #climate: FaultRates = CALM;
  readonly #swallows: boolean;
  #hangsLeft: number;

  constructor(seed: number) {
    this.#chance = new Chance(seed, 'weather');
    this.#swallows = this.#chance.happens(RUNS_WITH_LOSSES);
    this.#hangsLeft = this.#chance.happens(RUNS_WITH_HANGS) ? WEBHOOK_HANGS_MAX : 0;
  }

  /** Nothing goes wrong any more. */
  clear(): void {
    this.#climate = CALM;
    this.#hangsLeft = 0;
  }

  /** Nothing goes wrong, but the world moves on while the product asks the custody API. */
  bustle(): void {
    this.#climate = { ...CALM, bustle: BUSTLE_MAX };
  }

  get coreFaults(): CoreFaults {
    return this.#climate.core;
  }

  /** The API shows balance changes again, which it omits only briefly (spec, conservation rule 6). */
  publishBalanceChanges(): void {
    const { api } = this.#climate.core;
    const shown = api?.filter(({ fault }) => fault !== 'omit-balance-changes');
    if (shown === undefined) return;
    this.#climate = { ...this.#climate, core: { ...this.#climate.core, api: shown } };
  }

  /** Another mixture; a third of the time is calm, so that things also get done. */
  change(): string {
    const chance = this.#chance;
    if (chance.happens(0.3)) {
      this.#climate = CALM;
      return 'calm';
    }
    const at = (most: number): number => (chance.happens(0.5) ? chance.fraction() * most : 0);
    this.#climate = {
      webhook: {
        passes: 1,
        'request-lost': at(0.3),
        'response-lost': at(0.3),
        'gateway-error': at(0.2),
        truncated: at(0.1),
        'twice-at-once': at(0.2),
        swallowed: this.#swallows ? at(0.1) : 0,
        hangs: at(0.05),
      },
      api: { passes: 1, 'request-lost': at(0.3), 'response-lost': at(0.3), hangs: at(0.1) },
      commit: { kept: 1, 'disk-full': at(0.1), 'dies-before': at(0.05), 'dies-after': at(0.05) },
      bustle: at(BUSTLE_MAX),
      core: this.#coreFaults(at),
    };
    return 'rough';
  }

  webhookFate(): WebhookFate {
    const fate = this.#chance.weighted(this.#climate.webhook);
    if (fate !== 'hangs') return fate;
    if (this.#hangsLeft === 0) return 'request-lost';
    this.#hangsLeft -= 1;
    return 'hangs';
  }

  apiFate(): ApiFate {
    return this.#chance.weighted(this.#climate.api);
  }

  commitFate(): CommitFate {
    return this.#chance.weighted(this.#climate.commit);
  }

  bustles(): boolean {
    return this.#chance.happens(this.#climate.bustle);
  }

  /** Bytes of a write that was under way as the process died. */
  tornBytes(): number {
    return this.#chance.happens(0.3) ? this.#chance.between(1, 9_000) : 0;
  }

  #coreFaults(at: (most: number) => number): CoreFaults {
    const chance = this.#chance;
    const some = (most: number, fault: CoreFault): CoreFault[] => {
      const probability = at(most);
      return probability === 0 ? [] : [{ ...fault, probability }];
    };
    return {
      delivery: [
        ...some(0.3, { fault: 'duplicate' }),
        ...some(0.3, { fault: 'drop-response' }),
        ...some(0.2, { fault: 'delay', delayMs: chance.between(1, 120) * 1_000 }),
        ...some(0.3, { fault: 'replay-late', delayMs: chance.between(1, 7_200) * 1_000 }),
      ],
      api: [
        ...some(0.2, { fault: 'error', errorCode: chance.pick(ERROR_CODES) }),
        ...some(0.2, { fault: '429' }),
        ...some(0.2, { fault: 'reset' }),
        ...some(0.2, { fault: 'truncate' }),
        ...some(0.4, { fault: 'stale' }),
        ...some(0.4, { fault: 'omit-balance-changes' }),
        ...some(0.4, { fault: 'page-drift' }),
      ],
      transactions: [
        ...some(0.3, { fault: 'revert' }),
        ...some(0.2, { fault: 'processing' }),
        ...some(0.2, { fault: 'pause', reasonCode: chance.pick(PAUSE_REASONS) }),
        ...some(0.2, { fault: 'cancel', reasonCode: 'network_maintenance' }),
      ],
    };
  }
}

const ERROR_CODES = ['GE-1', 'APM-1', 'HAC-1', 'HAC-3'] as const;
const PAUSE_REASONS = [
  'insufficient_balance',
  'hosted_singner_unavailable',
  'not_enough_utxos',
] as const;
