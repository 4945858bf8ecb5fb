import type { EntryCause, EntrySource } from '../../../domain/money/entry.ts';

/** Why an entry was posted, for people. */
export const CAUSES: Record<EntryCause, string> = {
  incoming: 'deposit',
  mined: 'withdrawal',
  'failed-fee': 'burned fee',
  chain: 'chain event',
  suspense: 'decision of a person',
};

/** What an entry rests on, for people. */
export const SOURCES: Record<EntrySource, string> = {
  webhook: 'notification',
  api: 'custody record',
  decision: 'decision',
};
