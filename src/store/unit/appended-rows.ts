import type {
  AcknowledgementRow,
  CustodyEffectRow,
  DecimalsCorrectionRow,
  FeedItem,
  JournalRow,
  NotificationRow,
  PolicyRow,
  PostedEntry,
  ReconciliationRow,
  RestoreRow,
  SignatureRow,
  TokenChangeRow,
} from '../records.ts';
import type { Writes } from '../port.ts';

/** The rows of tables that are only appended to, between two flushes. */
interface AppendedRows {
  readonly journal: JournalRow[];
  readonly notifications: NotificationRow[];
  readonly entries: PostedEntry[];
  readonly feed: FeedItem[];
  readonly acknowledgements: AcknowledgementRow[];
  readonly reconciliations: ReconciliationRow[];
  readonly policies: PolicyRow[];
  readonly decimalsCorrections: DecimalsCorrectionRow[];
  readonly tokenChanges: TokenChangeRow[];
  readonly restores: RestoreRow[];
  readonly closes: Writes['closes'][number][];
  readonly custodyEffects: CustodyEffectRow[];
  readonly signatures: SignatureRow[];
}

/** New, empty lists of appended rows. */
export function noAppendedRows(): AppendedRows {
  return {
    journal: [],
    notifications: [],
    entries: [],
    feed: [],
    acknowledgements: [],
    reconciliations: [],
    policies: [],
    decimalsCorrections: [],
    tokenChanges: [],
    restores: [],
    closes: [],
    custodyEffects: [],
    signatures: [],
  };
}
