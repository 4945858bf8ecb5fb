/** The relative frequency of each kind of false webhook. */
export const FALSE_WEBHOOKS = {
  'unknown hash': 5,
  'unknown hash, no transaction': 3,
  'other amount': 4,
  'other amount, huge depth': 5,
  'other id first': 5,
  'other position': 4,
  'other asset': 4,
  'called change': 3,
  'entries elsewhere': 3,
  'other attribution': 3,
  rollback: 3,
  'deposit by our own hash': 4,
  'own transaction of nobody': 3,
  'own transaction over a deposit': 3,
  'own transaction, other figures': 4,
  'own transaction, other hash': 3,
  'own transaction, other end': 3,
  'chain movement': 3,
  'same id': 3,
  'unknown type': 2,
  garbage: 2,
} as const;

export type FalseWebhookKind = keyof typeof FALSE_WEBHOOKS;

/** A false claim that was sent to the product. */
export interface FalseWebhook {
  readonly kind: FalseWebhookKind;
  /** Hashes that it is about: the one it names, and its transaction's true one. */
  readonly hashes: readonly string[];
  readonly transactionId: string | null;
  /** The forged notification's own id. */
  readonly id: string;
  /**
   * The break that must be on record whatever happens later, when the product has said that it took
   * the lie; null: only as long as the lie makes a difference.
   */
  readonly leaves: string | null;
  /** Whether a true deposit of these hashes may stay uncredited until a person has looked. */
  readonly excuses: boolean;
}

/** A false webhook before it is sent. */
export interface Forgery {
  readonly body: ({ readonly id: string } & Readonly<Record<string, unknown>>) | string;
  readonly leaves: string | null;
  readonly alsoAbout?: string | null;
}
