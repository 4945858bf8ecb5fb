import type { QuarantineRow } from '../../../records.ts';
import { plain, word } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

/** The columns of `quarantine`. */
export const QUARANTINE = mappingOf<QuarantineRow>()({
  table: 'quarantine',
  key: ['quarantine_id'],
  extras: {},
  fields: {
    quarantineId: column('quarantine_id', plain('TEXT NOT NULL')),
    seq: column('seq', plain('INTEGER NOT NULL')),
    notificationId: column('notification_id', plain('TEXT NOT NULL')),
    digest: column('digest', plain('TEXT NOT NULL')),
    defect: column('defect', plain('TEXT NOT NULL')),
    state: column('state', word<QuarantineRow['state']>()),
    receivedAt: column('received_at', plain('INTEGER NOT NULL')),
    retriedAt: column('retried_at', plain('INTEGER')),
  },
});

/** A row of `quarantine`. */
export type QuarantineTableRow = RowIn<typeof QUARANTINE>;

/** Reads a quarantined body's record from its row. */
export const quarantineOf = QUARANTINE.read;
