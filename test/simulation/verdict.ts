import type { Mistakes } from '../store/replicated/memory-journal.ts';
import type { Evidence } from './audit/evidence.ts';

export interface Verdict {
  readonly seed: number;
  /** What is wrong; empty when every promise held. */
  readonly problems: readonly string[];
  /** Of everything that happened, and of the journal's last seal. */
  readonly digest: string;
  readonly events: number;
  readonly tail: readonly string[];
  /** How much of it happened, so that an empty run is not taken for a good one. */
  readonly extent: Readonly<Record<string, number>>;
}

export interface SimulationOptions {
  /** Steps before the world comes to rest; default 60. */
  readonly steps?: number;
  /** Whether anybody lies; default: three seeds in four. */
  readonly falseWebhooks?: boolean;
  /** Whether days pass and are closed; default: half of the seeds. */
  readonly closes?: boolean;
  /** Receivers of one journal, 2 to 5; default 1: one process with SQLite alone. */
  readonly receivers?: number;
  /** Mistakes of the shared journal that the audit must notice. */
  readonly mistakes?: Mistakes;
  /** Gets every line of the event log. */
  readonly echo?: (line: string) => void;
  /** Compares the store at rest with what really is; default: the auditor. */
  readonly inspect?: (path: string, evidence: Evidence) => readonly string[];
  /** Where to leave a copy of the store as it was audited. */
  readonly keep?: string;
}
