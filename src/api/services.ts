import type { Closable } from '../domain/close/closable.ts';
import type { ExemptionRule } from '../domain/break/exemption.ts';
import type { CreditingPolicy } from '../domain/policy/policy.ts';
import type { Fact } from '../domain/fact/fact.ts';
import type { Submitted } from '../store/port.ts';
import type { Documents } from '../report/document.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import type { SignedInPeople } from './people/signed-in-people.ts';
import type { TokenBook } from './people/token-book.ts';
import type { FeedSignal } from './exchange/feed-signal.ts';

/** Hands a fact to the commit queue; resolves when its effect is durable. */
export type Submit = (fact: Fact) => Promise<Submitted>;

/** The result of a request to close a day. */
export type CloseAnswer =
  | { readonly kind: 'closed' }
  | { readonly kind: 'too_early'; readonly cutOffAt: number }
  /** The journal has nothing of that day. */
  | { readonly kind: 'unknown' }
  /** Not possible now; `reason` names the custody API or the store. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** The result of a request for a run. */
export type RunAnswer =
  | { readonly kind: 'ran'; readonly run: ReconciliationRow }
  /** The store recorded nothing, and why. */
  | { readonly kind: 'not_recorded'; readonly cause: string };

/** What the policy routes need besides the store. */
export interface PolicyServices {
  /** Checks a policy like the configuration; problems are `path: what is wrong`. */
  readonly check: (
    json: unknown,
  ) =>
    | { readonly kind: 'ok'; readonly policy: CreditingPolicy }
    | { readonly kind: 'invalid'; readonly problems: readonly string[] };
  /** Probable misspellings and unreachable depths, one sentence each. */
  readonly warnings: (policy: CreditingPolicy) => Promise<readonly string[]>;
  /** Runs after a change: evaluates the deposits that the commit left. */
  readonly changed: () => void;
}

/** Checks an exemption rule like the configuration; problems are `member: what is wrong`. */
export type CheckExemption = (
  json: unknown,
) =>
  | { readonly kind: 'ok'; readonly rule: ExemptionRule }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The daemon's settings in force without secrets, and what its checks find. */
export interface SettingsAnswer {
  readonly settings: readonly { readonly key: string; readonly value: string }[];
  readonly checks: readonly {
    readonly check: string;
    readonly status: 'ok' | 'warning' | 'problem';
    /** The finding, with advice unless the status is `ok`. */
    readonly detail: string;
  }[];
}

/** Who may call. */
export interface AccessServices {
  readonly tokens: TokenBook;
  readonly people: SignedInPeople;
  /** Runs after a change: the book takes over what the store holds. */
  readonly changed: () => Promise<void>;
}

/** How far this receiver's replica follows the journal that it shares with others. */
export interface ReplicaServices {
  /** How long to wait until the replica shows what another receiver has shown, milliseconds. */
  readonly catchUpMsMax: number;
  /** Whether it holds the whole journal. Ask after the wait: a former owner knows by then. */
  readonly isLevel: () => Promise<boolean>;
}

/** What the routes need. */
export interface Services {
  readonly reads: Reads;
  /** Closed days as documents; a large one takes seconds, on another thread. */
  readonly document: Documents;
  readonly submit: Submit;
  /** The time of decisions, Unix milliseconds. */
  readonly now: () => number;
  readonly feed: FeedSignal;
  /** Absent with SQLite. */
  readonly replica?: ReplicaServices;
  readonly policy: PolicyServices;
  readonly checkExemption: CheckExemption;
  /** Checks on demand; asks nothing of the custody API. */
  readonly settings: () => Promise<SettingsAnswer>;
  readonly access: AccessServices;
  /** Runs one reconciliation. Concurrent calls run one after the other. */
  readonly reconcile: () => Promise<RunAnswer>;
  /** Closes every day up to this one, in order, unless its cut-off is in the future. */
  readonly close: (day: string) => Promise<CloseAnswer>;
  readonly closable: (day: string) => Promise<Closable>;
}
