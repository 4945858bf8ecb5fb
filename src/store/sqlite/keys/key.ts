import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { spellingOf } from '../../../domain/chain/network-address.ts';
import type { Deposit } from '../../../domain/deposit/deposit.ts';
import { firstEntryIdOf, seqOfId, type HashKey } from '../../../domain/ids.ts';

/** The kinds of rows found by a random key, with their numbers in the table `keys`. */
export const KEY_SPACES = { notification: 1, hash: 2, deposit: 3, address: 4 } as const;
export type KeySpace = keyof typeof KEY_SPACES;

const FINGERPRINT_HEX_DIGITS = 12;

/** The first 48 bits of a key's SHA-256, as an exact integer. */
export function fingerprintOf(key: string): number {
  // Hex text, because allocating and freeing a buffer takes three times as long.
  return parseInt(hash('sha256', key, 'hex').slice(0, FINGERPRINT_HEX_DIGITS), 16);
}

/** A key and the number of its row. */
export interface KeyedRow {
  readonly space: KeySpace;
  readonly key: string;
  readonly row: number;
}

/** The keys of a deposit's on-chain addresses. */
export function addressKeysOf({
  networkAddress,
  reportedAddress,
}: Pick<Deposit, 'networkAddress' | 'reportedAddress'>): string[] {
  return [networkAddress, reportedAddress].filter((one) => one !== null).map(spellingOf);
}

/** The largest position whose entries have safe integers as ids. */
const SEQ_MAX = seqOfId(Number.MAX_SAFE_INTEGER) - 1;

/**
 * Reads the keys of the facts after `afterSeq`, up to `throughSeq`, from their own tables, each with
 * its position.
 */
export function* keysAfter(
  db: Database,
  afterSeq: number,
  throughSeq = SEQ_MAX,
): Generator<KeyedRow & { readonly seq: number }> {
  const notifications = db
    .prepare<[number, number], [string, number]>(
      'SELECT id, seq FROM notifications WHERE seq > ? AND seq <= ?',
    )
    .raw();
  for (const [key, seq] of notifications.iterate(afterSeq, throughSeq)) {
    yield { space: 'notification', key, row: seq, seq };
  }
  const hashes = db
    .prepare<[number, number], [string, number]>(
      'SELECT blockchain_hash, hash_id FROM hashes WHERE hash_id >= ? AND hash_id < ?',
    )
    .raw();
  const hashIds = [firstEntryIdOf(afterSeq + 1), firstEntryIdOf(throughSeq + 1)] as const;
  for (const [key, row] of hashes.iterate(...hashIds)) {
    yield { space: 'hash', key, row, seq: seqOfId(row) };
  }
  const deposits = db
    .prepare<[number, number], [string, string | null, string | null, number, number]>(
      `SELECT deposit_id, network_address, reported_address, hash_id, first_seq FROM deposits
       WHERE first_seq > ? AND first_seq <= ?`,
    )
    .raw();
  for (const [depositId, networkAddress, reportedAddress, row, seq] of deposits.iterate(
    afterSeq,
    throughSeq,
  )) {
    yield { space: 'deposit', key: depositId, row, seq };
    for (const key of addressKeysOf({ networkAddress, reportedAddress })) {
      yield { space: 'address', key, row, seq };
    }
  }
}

/** Returns a look-up of a hash's number among the rows with its fingerprint (`rowsOf`). */
export function hashFinder(
  db: Database,
  rowsOf: (blockchainHash: string) => readonly number[],
): (hash: HashKey) => number | undefined {
  const isHash = db
    .prepare<[number, string, string], number>(
      'SELECT 1 FROM hashes WHERE hash_id = ? AND network = ? AND blockchain_hash = ?',
    )
    .pluck();
  return ({ network, blockchainHash }) =>
    rowsOf(blockchainHash).find(
      (hashId) => isHash.get(hashId, network, blockchainHash) !== undefined,
    );
}

/** Returns a look-up of rows by fingerprint in the table `keys`. */
export function keyTable(db: Database): (space: KeySpace, fingerprint: number) => number[] {
  const find = db
    .prepare<[number, number], number>('SELECT row FROM keys WHERE space = ? AND fingerprint = ?')
    .pluck();
  return (space, fingerprint) => find.all(KEY_SPACES[space], fingerprint);
}
