import type { SignatureRole } from './close-record.ts';
import type { CreditingPolicy } from './crediting.ts';
import type { ExemptionRule } from './exemption.ts';
import type { HaltScope } from './halt.ts';
import type { AssetId, BreakId, CreditId, DepositId } from './ids.ts';

/** What a person (or a consumer, or the configuration) decided; journalled with the actor. */
export type Decision =
  | {
      readonly kind: 'policy';
      readonly source: 'config';
      /** What holds from now on: the configuration's policy, with halts that people put on. */
      readonly policy: CreditingPolicy;
      /** What the configuration says, to tell when it changes. */
      readonly configured: CreditingPolicy;
      readonly reason: string;
    }
  | {
      readonly kind: 'policy';
      readonly source: 'api';
      readonly policy: CreditingPolicy;
      /** The journal position of the policy that its author had read. */
      readonly replaces: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'halt' | 'resume';
      readonly scope: HaltScope;
      readonly reason: string;
    }
  /** The exemption rules that hold from now on, all of them. */
  | { readonly kind: 'exemptions'; readonly rules: readonly ExemptionRule[] }
  /** Deposits to be judged anew by the policy that holds; follows a change where many wait. */
  | {
      readonly kind: 'judge';
      readonly depositIds: readonly DepositId[];
      /** Assets whose decimals a person has corrected: their deposits are judged by that too. */
      readonly corrected?: readonly AssetId[];
    }
  /** The decimals that an asset has from now on: those of its first sighting were wrong. */
  | {
      readonly kind: 'decimals';
      readonly asset: AssetId;
      readonly decimals: number;
      readonly reason: string;
    }
  | { readonly kind: 'approve'; readonly depositId: DepositId; readonly reason: string }
  | { readonly kind: 'hold'; readonly depositId: DepositId; readonly reason: string }
  | { readonly kind: 'release'; readonly depositId: DepositId; readonly reason: string }
  | {
      readonly kind: 'attribute';
      readonly depositId: DepositId;
      /** Whom the money belongs to, in the exchange's own terms. */
      readonly attributedTo: string;
      /** False in facts of earlier versions: approvals outlived an attribution, which stood for good. */
      readonly endsApprovals: boolean;
      readonly reason: string;
    }
  /** The store goes on from a backup: what follows has places of its own in the credit feed. */
  | { readonly kind: 'restored'; readonly reason: string }
  | { readonly kind: 'acknowledge'; readonly creditId: CreditId; readonly reference: string }
  | { readonly kind: 'investigate'; readonly breakId: BreakId; readonly reason: string }
  | { readonly kind: 'resolve'; readonly breakId: BreakId; readonly reason: string }
  | {
      readonly kind: 'assign';
      readonly breakId: BreakId;
      /** In the operators' own terms: a person, a desk; null hands it back to nobody. */
      readonly assignee: string | null;
      readonly reason: string;
    }
  | { readonly kind: 'note'; readonly breakId: BreakId; readonly note: string }
  | { readonly kind: 'retry'; readonly quarantineId: string; readonly reason: string }
  | {
      readonly kind: 'sign';
      /** The closed day, `YYYY-MM-DD`. */
      readonly day: string;
      readonly role: SignatureRole;
      /** The report that the person has seen. */
      readonly reportHash: string;
      readonly reason: string;
    };

/** Why a decision could not be taken; nothing was journalled. */
export type Refusal =
  | { readonly kind: 'not_found'; readonly detail: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  /** What it rests on has changed since it was read. */
  | { readonly kind: 'stale'; readonly detail: string };
