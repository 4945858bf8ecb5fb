import type { KeyObject } from 'node:crypto';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { VirtualClock } from '../../../src/simulator/clock.ts';
import type { CloseResult } from '../../../src/reconcile/close/close.ts';
import type { Submitted } from '../../../src/store/port.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import type { RunAnswer } from '../../../src/api/services.ts';
import type { CommitFate } from './fragile-ledger.ts';
import type { DIED } from './process-state.ts';
import type { ApiCaller } from './network.ts';

/** HTTP status, or that there was no answer. */
export type Delivered = number | typeof DIED;

/** Every day that is due, by the schedule; or, by hand, all days but yesterday. */
export type WantedDays = 'due' | 'all but yesterday';

export interface ProductOptions {
  readonly folder: string;
  readonly clock: VirtualClock;
  readonly pathToken: string;
  readonly webhookUrl: string;
  readonly api: {
    /** Where a process of that name reaches the custody API. */
    readonly urlFor: (process: string) => string;
    readonly clientId: string;
    readonly key: KeyObject;
  };
  /** What happens to the next commit. */
  readonly fate: (facts: readonly Fact[]) => CommitFate;
  /** Bytes of an unfinished write at the end of the log that a death leaves behind. */
  readonly tornBytes: () => number;
  /** In [0, 1): jitter of the client's backoff. */
  readonly random: () => number;
  /** Resolves when the network lets the next request of the process of that name hang. */
  readonly hangs: (process: string) => Promise<void>;
}

/** The product under simulation: one process over one store, or several receivers of one journal. */
export interface Product {
  /** Whether every process runs. */
  readonly isUp: boolean;
  /** The store of each process, as its last life left it. */
  readonly paths: readonly [string, ...string[]];
  /** What an API reader sees; undefined while no process runs. */
  readonly reads: SqliteReads | undefined;
  /** Whether a fact that was answered 503 may have been kept: the journal's answer may be lost. */
  readonly mayKeepRefused: boolean;
  now(): number;
  /** The clock of a process differs from the world's by so many milliseconds; 0: no clock does. */
  skew(ms: number): void;
  /** Starts what is dead. */
  start(): Promise<void>;
  /** Kills a process as `kill -9` would. */
  kill(): void;
  /** Lets a part of the product fail, between two steps. */
  injectFault(): Promise<void>;
  /** Resolves when nothing goes on in a process that is awake, although its caller has gone. */
  idle(): Promise<void>;
  /** Ends every fault. */
  heal(): Promise<void>;
  /** The running process that the network names so. */
  caller(networkName: string): ApiCaller | undefined;
  /** A delivery to the webhook path. */
  deliver(body: Uint8Array): Promise<Delivered>;
  /** One reconciliation. */
  sweep(): Promise<RunAnswer | typeof DIED>;
  /** A round of the verifier, if anything is due; answers whether it asked. */
  verify(): Promise<'idle' | 'asked' | typeof DIED>;
  /** Closes days as `wanted` says, after a reconciliation; undefined when nobody does. */
  closeDays(wanted: WantedDays): Promise<CloseResult | undefined | typeof DIED>;
  decide(decision: Decision, actor: string): Promise<Submitted | typeof DIED>;
  /** What the product itself shows to be wrong, at rest. */
  problems(): Promise<readonly string[]>;
  /** How often each fault happened. */
  extent(): Readonly<Record<string, number>>;
  /** Ends everything, also what dead processes left open. */
  close(): Promise<void>;
}
