import { deliveryOf, eventOf, EVENTS, subjectOf } from './delivery.ts';

export const TRAFFICS = ['mixed', 'deposits'] as const;
/** `mixed`: what a custody service sends; `deposits`: nothing but new deposits, the dearest kind. */
export type TrafficName = (typeof TRAFFICS)[number];

/**
 * What mixed traffic consists of, in per cent. Whatever has nothing to follow yet (a confirmation
 * before there are deposits) is a new deposit or withdrawal instead.
 */
export const MIX = {
  /** Deliveries that were acknowledged before, byte by byte again. */
  duplicate: 10,
  /** The next confirmation of a deposit that is known. */
  confirmation: 60,
  newDeposit: 9,
  /** A known deposit as the blockchain stream tells it: the chain view. */
  depositOnChain: 9,
  withdrawalSubmitted: 4,
  /** A submitted withdrawal: the amount and the fee, both negative. */
  withdrawalMined: 4,
  withdrawalOnChain: 4,
} as const;

/** What comes of a deposit: its first confirmation and seven more. */
const CONFIRMATIONS_MAX = 8;

/** Acknowledged deliveries of which one may be sent again. */
const RECENT_MAX = 4_096;

/** Deliveries that wait for their turn; beyond it the newest are not sent at all. */
const WAITING_MAX = 65_536;

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

/** Decides what is sent next. Nothing follows before what it follows was acknowledged. */
export class Traffic {
  readonly #next: () => Sending;
  readonly #random: () => number;
  readonly #recent: number[] = [];
  readonly #confirmations = new Ring(WAITING_MAX);
  readonly #depositsToSee = new Ring(WAITING_MAX);
  readonly #toMine = new Ring(WAITING_MAX);
  readonly #withdrawalsToSee = new Ring(WAITING_MAX);
  #subjects = 0;
  #acknowledged = 0;

  /** `random` gives numbers from 0 to 1, as `Math.random` does. */
  constructor(name: TrafficName, random: () => number = Math.random) {
    this.#random = random;
    this.#next = name === 'mixed' ? () => this.#mixed() : () => first(this.#newDeposit());
  }

  next(): Sending {
    return this.#next();
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

  #newDeposit(): number {
    this.#subjects += 1;
    return deliveryOf(this.#subjects - 1, EVENTS.firstConfirmation);
  }

  #newWithdrawal(): number {
    this.#subjects += 1;
    return deliveryOf(this.#subjects - 1, EVENTS.withdrawalSubmitted);
  }

  #mixed(): Sending {
    let draw = this.#random() * 100;
    const falls = (share: number): boolean => (draw -= share) < 0;
    if (falls(MIX.duplicate)) {
      const index = Math.floor(this.#random() * this.#recent.length);
      const known = this.#recent[index];
      return known === undefined ? first(this.#newDeposit()) : { delivery: known, isRepeat: true };
    }
    if (falls(MIX.confirmation)) return first(this.#confirmations.take() ?? this.#newDeposit());
    if (falls(MIX.newDeposit)) return first(this.#newDeposit());
    if (falls(MIX.depositOnChain)) return first(this.#depositsToSee.take() ?? this.#newDeposit());
    if (falls(MIX.withdrawalSubmitted)) return first(this.#newWithdrawal());
    if (falls(MIX.withdrawalMined)) return first(this.#toMine.take() ?? this.#newWithdrawal());
    return first(this.#withdrawalsToSee.take() ?? this.#newWithdrawal());
  }
}

function first(delivery: number): Sending {
  return { delivery, isRepeat: false };
}
