import type { Following, JournalHead } from '../replicated/shared-journal.ts';

/** What to do about a replica that holds what the journal does not. */
const COMPARE =
  'Stop this receiver, and put its replica aside: it may hold acknowledged facts, see docs/how-to/run-several-receivers.md. Then start the receiver with an empty replica';

function diverged({ commitNumber }: JournalHead, why: string): Following {
  return { kind: 'diverged', detail: `commit ${commitNumber} of this replica ${why}. ${COMPARE}` };
}

/** The journal holds another commit under the number of the replica's head. */
export function replacedCommit(head: JournalHead): Following {
  return diverged(
    head,
    "is not the journal's: the replica belongs to another journal, or a failover without a synchronous standby has replaced it",
  );
}

/** The journal ends before the replica's head. */
export function missingCommit(head: JournalHead, end: JournalHead): Following {
  return diverged(
    head,
    `is missing in the journal, which ends at commit ${end.commitNumber}: a failover without a synchronous standby has lost it, or the replica belongs to another journal`,
  );
}
