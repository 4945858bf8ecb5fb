import type { EntryOrigin } from '../../../store/statement.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { SOURCES } from '../value/entry-words.ts';

/** Links an entry to the fact that proves it: the source, and the journal position. */
export function EvidenceLink({
  origin,
}: {
  origin: Pick<EntryOrigin, 'seq' | 'source' | 'notificationId'>;
}): Markup {
  const { seq, source, notificationId } = origin;
  return (
    <a href={`/console/journal/${seq}`} title={notificationId ?? undefined}>
      {SOURCES[source]} <span class="unseen">at journal position</span> {grouped(seq)}
    </a>
  );
}
