import type { Role } from '../access/role.ts';
import type { SignatureRole } from '../close/record.ts';
import type { CreditingPolicy } from '../policy/policy.ts';
import type { ExemptionRule } from '../break/exemption.ts';
import type { HaltScope } from '../policy/halt.ts';
import type { AssetId, BreakId, CreditId, DepositId } from '../ids.ts';

/** What a person saw when they decided; absent in facts of earlier versions. */
interface Based {
  /** The version of the deposit, break, policy, rule, quarantined body, token or asset that they read. */
  readonly basis?: string;
}

/** A decision of a person, a consumer or the configuration; journalled with its actor. */
export type Decision =
  | {
      readonly kind: 'policy';
      readonly source: 'config';
      /** The policy from now on: the configuration's policy, plus halts that people set. */
      readonly policy: CreditingPolicy;
      /** The configuration's policy alone, to detect its next change. */
      readonly configured: CreditingPolicy;
      readonly reason: string;
    }
  | {
      readonly kind: 'policy';
      readonly source: 'api';
      readonly policy: CreditingPolicy;
      /** The journal position of the policy that the author read. */
      readonly replaces: number;
      readonly reason: string;
    }
  | ({
      readonly kind: 'halt' | 'resume';
      readonly scope: HaltScope;
      readonly reason: string;
    } & Based)
  /** All exemption rules of the configuration from now on. Those of people stay. */
  | { readonly kind: 'exemptions'; readonly rules: readonly ExemptionRule[] }
  /** A person adds an exemption rule. The reason is the rule's own. */
  | ({
      readonly kind: 'exempt';
      readonly rule: ExemptionRule;
      /** The break that the rule was filled from; the basis is its version. */
      readonly filledFrom?: BreakId;
    } & Based)
  /** A person ends a person's exemption rule. `rule`: its name. */
  | ({ readonly kind: 'end-exemption'; readonly rule: string; readonly reason: string } & Based)
  /**
   * Deposits to evaluate again by the current policy; follows a change while many deposits wait.
   */
  | {
      readonly kind: 'judge';
      readonly depositIds: readonly DepositId[];
      /** Assets whose decimals a person corrected; their deposits are evaluated by that too. */
      readonly corrected?: readonly AssetId[];
    }
  /** Corrects an asset's decimals: the first sighting carried wrong ones. */
  | ({
      readonly kind: 'decimals';
      readonly asset: AssetId;
      readonly decimals: number;
      readonly reason: string;
    } & Based)
  | ({ readonly kind: 'approve'; readonly depositId: DepositId; readonly reason: string } & Based)
  | ({ readonly kind: 'hold'; readonly depositId: DepositId; readonly reason: string } & Based)
  | ({ readonly kind: 'release'; readonly depositId: DepositId; readonly reason: string } & Based)
  | ({
      readonly kind: 'attribute';
      readonly depositId: DepositId;
      /** The owner, in the exchange's own terms. */
      readonly attributedTo: string;
      /** False in facts of earlier versions, where naming an owner kept approvals and was permanent. */
      readonly endsApprovals: boolean;
      readonly reason: string;
    } & Based)
  /** The store continues from a backup: later feed items get cursors of their own. */
  | {
      readonly kind: 'restored';
      /** The least number of the feed's next history. Earlier versions counted restores instead. */
      readonly history?: number;
      readonly reason: string;
    }
  | { readonly kind: 'acknowledge'; readonly creditId: CreditId; readonly reference: string }
  | ({ readonly kind: 'investigate'; readonly breakId: BreakId; readonly reason: string } & Based)
  | ({
      readonly kind: 'resolve';
      readonly breakId: BreakId;
      readonly reason: string;
      /**
       * Books to suspense also what the books took back, and the chain still shows. Absent in facts
       * of earlier versions, which posted nothing then.
       */
      readonly followsChain?: true;
      /**
       * Takes a deposit from the books that the custody API does not know. Absent in facts of earlier
       * versions, which left it there.
       */
      readonly takesBack?: true;
    } & Based)
  | ({
      readonly kind: 'assign';
      readonly breakId: BreakId;
      /** A person or a team, in the operators' own terms; null removes the assignee. */
      readonly assignee: string | null;
      readonly reason: string;
    } & Based)
  | ({ readonly kind: 'note'; readonly breakId: BreakId; readonly note: string } & Based)
  /** Why a person ran a reconciliation or closed a day by hand. The run and the close are facts too. */
  | { readonly kind: 'run-now'; readonly reason: string }
  | { readonly kind: 'close-now'; readonly day: string; readonly reason: string }
  | ({ readonly kind: 'retry'; readonly quarantineId: string; readonly reason: string } & Based)
  /** A person makes a token at run time. The journal holds its SHA-256 (hex), never the token. */
  | {
      readonly kind: 'create-token';
      readonly name: string;
      readonly role: Role;
      readonly sha256: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'rotate-token';
      readonly name: string;
      readonly sha256: string;
      /** The journal position of the change that the person read. */
      readonly replaces: number;
      /** The token's role from now on; absent: it stays. */
      readonly role?: Role;
      readonly reason: string;
    }
  | ({ readonly kind: 'revoke-token'; readonly name: string; readonly reason: string } & Based)
  /** Signs a person out of the console. `name`: whose session it was. */
  | {
      readonly kind: 'end-session';
      readonly sessionId: string;
      readonly name: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'sign';
      /** The closed day, `YYYY-MM-DD`. */
      readonly day: string;
      readonly role: SignatureRole;
      /** SHA-256 of the report that the person read, hex. */
      readonly reportHash: string;
      readonly reason: string;
    };

/** What a decision is about: an id, a name or a day. Undefined where it is about everything. */
export function subjectOf(decision: Decision): string | undefined {
  if ('depositId' in decision) return decision.depositId;
  if ('breakId' in decision) return decision.breakId;
  if ('quarantineId' in decision) return decision.quarantineId;
  if ('creditId' in decision) return decision.creditId;
  if ('day' in decision) return decision.day;
  if ('asset' in decision) return decision.asset;
  if ('name' in decision) return decision.name;
  if (decision.kind === 'end-exemption') return decision.rule;
  return decision.kind === 'exempt' ? decision.rule.rule : undefined;
}

/**
 * Which conflict an acknowledgement met: the credit was `reversed` before it, or it is acknowledged
 * under an `other-reference`.
 */
export const CONFLICT_REASONS = ['reversed', 'other-reference'] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

/** Why a decision was refused; nothing was journalled. */
export type Refusal =
  | { readonly kind: 'not_found'; readonly detail: string }
  | {
      readonly kind: 'conflict';
      readonly detail: string;
      /** For programs, where a decision has several conflicts that need different steps. */
      readonly reason?: ConflictReason;
    }
  /** The decision's basis changed since the person read it. */
  | { readonly kind: 'stale'; readonly detail: string };
