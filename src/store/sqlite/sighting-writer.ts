import type { Database } from 'better-sqlite3';
import type { Sighting } from '../../domain/sighting.ts';
import type { Change } from '../records.ts';
import { packPosted, packSeen } from '../sighting-codec.ts';
import { insertInto, updateOf } from './statement.ts';
import type { SightingRow } from './tables.ts';

const KEY = ['hash_id', 'vault_id', 'stream', 'account_id', 'address_id', 'memo'] as const;

/** Key columns hold '' where the domain has null. */
function rowOf(sighting: Sighting, hashId: number): SightingRow {
  return {
    hash_id: hashId,
    vault_id: sighting.vaultId,
    stream: sighting.stream,
    account_id: sighting.accountId ?? '',
    address_id: sighting.addressId ?? '',
    memo: sighting.memo ?? '',
    epoch: sighting.epoch,
    seen: JSON.stringify(packSeen(sighting.seen)),
    entry_id: sighting.entryId,
    posted: JSON.stringify(packPosted(sighting.posted, sighting)),
  };
}

/** Writes sightings; what stands in the ledger for one is spelled out only when that changes. */
export class SightingWriter {
  readonly #insert;
  readonly #repost;
  readonly #see;

  constructor(db: Database) {
    this.#insert = insertInto(db, 'sightings');
    this.#repost = updateOf(db, 'sightings', {
      key: KEY,
      columns: ['epoch', 'seen', 'entry_id', 'posted'],
    });
    this.#see = db.prepare<[number, string, number, string, string, string, string, string]>(
      `UPDATE sightings SET epoch = ?, seen = ?
       WHERE hash_id = ? AND vault_id = ? AND stream = ? AND account_id = ? AND address_id = ?
         AND memo = ?`,
    );
  }

  write({ before, after, hashId }: Change<Sighting>): void {
    const isSame =
      before !== undefined && before.entryId === after.entryId && before.posted === after.posted;
    if (isSame) {
      const { epoch, vaultId, stream, accountId, addressId, memo } = after;
      const seen = JSON.stringify(packSeen(after.seen));
      this.#see.run(
        epoch,
        seen,
        hashId,
        vaultId,
        stream,
        accountId ?? '',
        addressId ?? '',
        memo ?? '',
      );
      return;
    }
    const row = rowOf(after, hashId);
    if (before === undefined) this.#insert.run(row);
    else this.#repost.run(row);
  }
}
