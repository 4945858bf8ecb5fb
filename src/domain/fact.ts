import type { CustodyRecord } from './custody.ts';
import type { Decision } from './decision.ts';
import type { Notification } from './notification.ts';

/**
 * A fact that asks to be journalled. Everything in the store is a function of the journal, so a
 * fact says how its bytes were read when they arrived (`notification`, `quarantined` or
 * `refused`): a later version that reads more must not change what a replay gives.
 */
export type Fact =
  | {
      readonly kind: 'notification';
      readonly at: number;
      /** The body exactly as received. */
      readonly raw: Uint8Array;
      readonly notification: Notification;
      /** Digest of the body without `timestamp`: tells a repeat from another body under one id. */
      readonly digest: () => string;
    }
  | {
      readonly kind: 'quarantined';
      readonly at: number;
      readonly raw: Uint8Array;
      /** The notification's id, or a stand-in for one that cannot be stored as it is. */
      readonly id: string;
      readonly digest: () => string;
      /** What does not parse, and where. */
      readonly defect: string;
    }
  | {
      readonly kind: 'refused';
      readonly at: number;
      /** The first bytes of what was answered 400. */
      readonly raw: Uint8Array;
      readonly defect: string;
    }
  | { readonly kind: 'custody-record'; readonly at: number; readonly record: CustodyRecord }
  | {
      readonly kind: 'decision';
      readonly at: number;
      /** The name of the token, or `config`. */
      readonly actor: string;
      readonly decision: Decision;
    };

export type FactKind = Fact['kind'];

export type IntakeStatus = 'accepted' | 'duplicate' | 'quarantined';
