import type { AddressChecks, RunRepairs } from '../../../../domain/fact/custody-record.ts';
import type { ReconciliationRow } from '../../../records.ts';
import { json, orNull, plain } from '../column-format.ts';
import { column, mappingOf, nested, type RowIn } from '../mapping.ts';

/** The columns of `reconciliations`. */
export const RECONCILIATIONS = mappingOf<ReconciliationRow>()({
  table: 'reconciliations',
  key: ['seq'],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    startedAt: column('started_at', plain('INTEGER NOT NULL')),
    finishedAt: column('finished_at', plain('INTEGER NOT NULL')),
    matched: column('matched', plain('INTEGER NOT NULL')),
    broken: column('broken', plain('INTEGER NOT NULL')),
    exempt: column('exempt', json<ReconciliationRow['exempt']>()),
    skipped: column('skipped', json<ReconciliationRow['skipped']>()),
    requests: column('requests', plain('INTEGER NOT NULL')),
    watermark: column('watermark', plain('INTEGER')),
    incomplete: column('incomplete', plain('TEXT')),
    addresses: column('addresses', orNull(json<AddressChecks>())),
    repairs: nested<RunRepairs>()({
      replayed: column('replayed', plain('INTEGER NOT NULL')),
      pulledForward: column('pulled_forward', plain('INTEGER NOT NULL')),
      backfilled: column('backfilled', plain('INTEGER NOT NULL')),
    }),
  },
});

/** A row of `reconciliations`. */
export type ReconciliationTableRow = RowIn<typeof RECONCILIATIONS>;

/** Reads a run from its row. */
export const reconciliationOf = RECONCILIATIONS.read;
