import type { CreditLatency } from './end/credit-latency.ts';
import type { Failover } from './end/summary.ts';
import type { Episode } from './story/episodes.ts';

/** The product as a demo runs it: one daemon, or several receivers behind a proxy. */
export interface Product {
  /** Faults in the order of play, repeated. */
  readonly episodes: readonly Episode[];
  /** Lines for the terminal about its parts. */
  readonly parts: readonly string[];
  /** The SQLite files with its books: the daemon's store, or the receivers' replicas. */
  readonly storePaths: readonly string[];
  start(): Promise<void>;
  /** Adds what its daemons have counted since their starts. Throws `ProductUnreachable`. */
  takeLatency(latency: CreditLatency): Promise<void>;
  /** What was killed, and whether anything acknowledged is lost; undefined for one daemon. */
  failover(): Promise<Failover | undefined>;
  stop(): Promise<void>;
}
