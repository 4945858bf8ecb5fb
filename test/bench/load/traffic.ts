import { deliveryOf, eventOf, EVENTS, subjectOf } from './delivery.ts';
import type { Extras } from './template.ts';

export const TRAFFICS = ['mixed', 'deposits', 'own', 'own-shuffled'] as const;
/**
 * `mixed`: what a custody service sends; `deposits`: nothing but new deposits, the dearest kind.
 * `own`: another mix of the same, in which every body has metadata of its own; `own-shuffled`: the same
 * with confirmations in random order instead of oldest first, as blocks bring them.
 */
export type TrafficName = (typeof TRAFFICS)[number];

/** What traffic consists of, in per cent. */
export interface Mix {
  /** Deliveries that were acknowledged before, byte by byte again. */
  readonly duplicate: number;
  /** The next confirmation of a deposit that is known. */
  readonly confirmation: number;
  readonly newDeposit: number;
  /** A known deposit in the blockchain stream: the chain view. */
  readonly depositOnChain: number;
  readonly withdrawalSubmitted: number;
  /** A submitted withdrawal: the amount and the fee, both negative. */
  readonly withdrawalMined: number;
  readonly withdrawalOnChain: number;
}

/**
 * Whatever has nothing to follow yet (a confirmation before there are deposits) is a new deposit or
 * withdrawal instead.
 */
const MIXED: Mix = {
  duplicate: 10,
  confirmation: 60,
  newDeposit: 9,
  depositOnChain: 9,
  withdrawalSubmitted: 4,
  withdrawalMined: 4,
  withdrawalOnChain: 4,
};

const OWN: Mix = { ...MIXED, newDeposit: 12, depositOnChain: 6 };

const NEW_DEPOSITS: Mix = {
  duplicate: 0,
  confirmation: 0,
  newDeposit: 100,
  depositOnChain: 0,
  withdrawalSubmitted: 0,
  withdrawalMined: 0,
  withdrawalOnChain: 0,
};

export const MIXES: Readonly<Record<TrafficName, Mix>> = {
  mixed: MIXED,
  deposits: NEW_DEPOSITS,
  own: OWN,
  'own-shuffled': OWN,
};

/** What the bodies of traffic carry beside what is booked. */
export function extrasOf(name: TrafficName): Extras {
  return name === 'mixed' || name === 'deposits' ? 'shared' : 'own';
}

/** What comes of a deposit: its first confirmation and seven more. */
const CONFIRMATIONS_MAX = 8;

/** Acknowledged deliveries of which one may be sent again. */
const RECENT_MAX = 4_096;

/** Deliveries that wait for their turn; beyond it the newest are not sent at all. */
const QUEUED_MAX = 65_536;

/** First in, first out, of numbers; what does not fit any more is dropped. */
class Ring {
  readonly #items: Float64Array;
  #first = 0;
  #count = 0;

  constructor(length: number) {
    this.#items = new Float64Array(length);
  }

  add(item: number): void {
    if (this.#count === this.#items.length) return;
    this.#items[(this.#first + this.#count) % this.#items.length] = item;
    this.#count += 1;
  }

  /** Takes an item from any place; the oldest goes there instead. `draw`: from 0 to 1. */
  takeAny(draw: number): number | undefined {
    const at = (this.#first + Math.floor(draw * this.#count)) % this.#items.length;
    const any = this.#items[at];
    const oldest = this.take();
    if (oldest !== undefined) this.#items[at] = oldest;
    return oldest === undefined ? undefined : any;
  }

  take(): number | undefined {
    if (this.#count === 0) return undefined;
    const item = this.#items[this.#first];
    this.#first = (this.#first + 1) % this.#items.length;
    this.#count -= 1;
    return item;
  }
}

/** One delivery to be sent. */
export interface Sending {
  readonly delivery: number;
  /** Whether it was acknowledged before. */
  readonly isRepeat: boolean;
}

/** Chooses the next delivery. Each follows only after the acknowledgement of the one before it. */
export class Traffic {
  readonly #mix: Mix;
  readonly #isShuffled: boolean;
  readonly #random: () => number;
  readonly #recent: number[] = [];
  readonly #confirmations = new Ring(QUEUED_MAX);
  readonly #depositsToSee = new Ring(QUEUED_MAX);
  readonly #toMine = new Ring(QUEUED_MAX);
  readonly #withdrawalsToSee = new Ring(QUEUED_MAX);
  #subjects = 0;
  #acknowledged = 0;

  /** `random` gives numbers from 0 to 1, as `Math.random` does. */
  constructor(name: TrafficName, random: () => number = Math.random) {
    this.#random = random;
    this.#mix = MIXES[name];
    this.#isShuffled = name === 'own-shuffled';
  }

  next(): Sending {
    const mix = this.#mix;
    let draw = this.#random() * 100;
    const falls = (share: number): boolean => (draw -= share) < 0;
    if (falls(mix.duplicate)) {
      const index = Math.floor(this.#random() * this.#recent.length);
      const known = this.#recent[index];
      return known === undefined ? first(this.#newDeposit()) : { delivery: known, isRepeat: true };
    }
    if (falls(mix.confirmation)) return first(this.#nextConfirmation() ?? this.#newDeposit());
    if (falls(mix.newDeposit)) return first(this.#newDeposit());
    if (falls(mix.depositOnChain)) return first(this.#depositsToSee.take() ?? this.#newDeposit());
    if (falls(mix.withdrawalSubmitted)) return first(this.#newWithdrawal());
    if (falls(mix.withdrawalMined)) return first(this.#toMine.take() ?? this.#newWithdrawal());
    return first(this.#withdrawalsToSee.take() ?? this.#newWithdrawal());
  }

  /** A delivery was acknowledged for the first time: it can be repeated, and others may follow. */
  acknowledged(delivery: number): void {
    this.#recent[this.#acknowledged % RECENT_MAX] = delivery;
    this.#acknowledged += 1;
    const event = eventOf(delivery);
    if (event < CONFIRMATIONS_MAX) this.#confirmations.add(delivery + 1);
    const subject = subjectOf(delivery);
    if (event === EVENTS.firstConfirmation) {
      this.#depositsToSee.add(deliveryOf(subject, EVENTS.depositOnChain));
    } else if (event === EVENTS.withdrawalSubmitted) {
      this.#toMine.add(deliveryOf(subject, EVENTS.withdrawalMined));
    } else if (event === EVENTS.withdrawalMined) {
      this.#withdrawalsToSee.add(deliveryOf(subject, EVENTS.withdrawalOnChain));
    }
  }

  #nextConfirmation(): number | undefined {
    return this.#isShuffled
      ? this.#confirmations.takeAny(this.#random())
      : this.#confirmations.take();
  }

  #newDeposit(): number {
    this.#subjects += 1;
    return deliveryOf(this.#subjects - 1, EVENTS.firstConfirmation);
  }

  #newWithdrawal(): number {
    this.#subjects += 1;
    return deliveryOf(this.#subjects - 1, EVENTS.withdrawalSubmitted);
  }
}

function first(delivery: number): Sending {
  return { delivery, isRepeat: false };
}
