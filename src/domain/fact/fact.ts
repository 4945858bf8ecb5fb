import type { CustodyRecord } from './custody-record.ts';
import type { Decision } from './decision.ts';
import type { Notification } from './notification.ts';

/**
 * A fact to journal. Everything in the store is a function of the journal. So a fact records how
 * its body was read on arrival (`notification`, `quarantined` or `refused`): a later version that
 * reads more must not change a replay.
 */
export type Fact =
  | {
      readonly kind: 'notification';
      readonly at: number;
      /** The body exactly as received. */
      readonly raw: Uint8Array;
      readonly notification: Notification;
    }
  | {
      readonly kind: 'quarantined';
      readonly at: number;
      readonly raw: Uint8Array;
      /** The notification's id, or a substitute for an id that the store cannot hold. */
      readonly id: string;
      /** What does not parse, and its path. */
      readonly defect: string;
    }
  | {
      readonly kind: 'refused';
      readonly at: number;
      /** The first bytes of the body that was answered 400. */
      readonly raw: Uint8Array;
      readonly defect: string;
    }
  | {
      readonly kind: 'custody-record';
      readonly at: number;
      readonly record: CustodyRecord;
      /**
       * Of a close: its day, computed at the position that the record names. Not journalled: a replay
       * computes it there again.
       */
      readonly computed?: string;
    }
  | {
      readonly kind: 'decision';
      readonly at: number;
      /** The token's name, or `config`. */
      readonly actor: string;
      readonly decision: Decision;
    };

export type FactKind = Fact['kind'];

export const INTAKE_STATUSES = ['accepted', 'duplicate', 'quarantined'] as const;
export type IntakeStatus = (typeof INTAKE_STATUSES)[number];
