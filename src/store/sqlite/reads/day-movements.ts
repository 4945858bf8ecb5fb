import type { Database } from 'better-sqlite3';
import { storedAmount, ZERO, type Amount } from '../../../domain/amount.ts';
import { byCodePoint, ClosedFold, type HashName } from '../../../domain/close-fold.ts';
import type { DailyReport } from '../../../domain/close-report.ts';
import type { Entry } from '../../../domain/entry.ts';
import { BlockchainHash, NetworkKey, type HashKey } from '../../../domain/ids.ts';
import type { ChangeKind } from '../../../domain/notification.ts';
import { CATEGORIES, type Category, type Effects } from '../../../domain/roll-forward.ts';
import type { DayMovement, DayMovementQuery, MovementEntry } from '../../day-movement.ts';
import { pageWithin } from '../../page-within.ts';
import { placeNamesOf } from '../../place-names.ts';
import type { DayMovementPage, PageRequest } from '../../reads.ts';
import { SqliteCloseRecords } from '../close-records.ts';
import { JournalReader } from '../journal-reader.ts';
import type { KeyLookup } from '../key-lookup.ts';

/** Lines that are shown of one movement: a hash can be told and taken back again and again. */
const ENTRIES_MAX = 100;

/** Those of the day, or those before where the day has none and counts them otherwise. */
const ENTRIES = `SELECT entry.entry_id, entry.seq, entry.source, entry.posted_at,
    entry.transaction_id, position.account_id, position.address_id, position.memo,
    posting.change_kind, posting.amount, told.id AS notification_id
  FROM entries AS entry
  JOIN postings AS posting USING (entry_id)
  JOIN ledger_accounts AS position USING (ledger_account)
  LEFT JOIN notifications AS told ON told.seq = entry.seq
  WHERE entry.hash_id = ? AND entry.view = 'books' AND position.kind = 'position'
    AND position.vault_id = ? AND position.asset = ? AND entry.seq > ? AND entry.seq <= ?
  ORDER BY entry.entry_id, posting.line LIMIT ${ENTRIES_MAX}`;

interface EntryRow {
  readonly entry_id: number;
  readonly seq: number;
  readonly source: string;
  readonly posted_at: number;
  readonly transaction_id: string | null;
  readonly account_id: string;
  readonly address_id: string;
  readonly memo: string;
  readonly change_kind: string;
  readonly amount: string;
  readonly notification_id: string | null;
}

type Found = Omit<DayMovement, 'entries'>;

/** Figures that a hash moved, without those that it did not. */
function amountsOf(effects: Effects): Partial<Record<Category, Amount>> {
  const moved = CATEGORIES.filter((category) => effects[category] !== ZERO);
  return Object.fromEntries(moved.map((category) => [category, effects[category]]));
}

/** Hashes that can count otherwise in a day although it has no entry of theirs. */
function recounted(report: DailyReport, previous: DailyReport | undefined): HashKey[] {
  const rows: HashName[] = [
    ...report.priorDay,
    ...[report, previous].flatMap((one) => [
      ...(one?.inTransit ?? []),
      ...(one?.unconfirmed ?? []),
      ...(one?.differences ?? []),
    ]),
  ];
  return rows.map(({ network, blockchainHash }) => ({
    network: NetworkKey(network),
    blockchainHash: BlockchainHash(blockchainHash),
  }));
}

function isAsked({ vaultId, asset, figure }: DayMovementQuery, found: Found): boolean {
  return (
    (vaultId === undefined || found.vaultId === vaultId) &&
    (asset === undefined || found.asset === asset) &&
    (figure === undefined || found.amounts[figure] !== undefined)
  );
}

/** By asset, vault and hash, as a person follows a figure of the report. */
function inOrder(left: Found, right: Found): number {
  return (
    byCodePoint(left.asset, right.asset) ||
    byCodePoint(left.vaultId, right.vaultId) ||
    byCodePoint(left.blockchainHash, right.blockchainHash)
  );
}

/** Reads what a closed day is made of, from its sealed report, the one before it, and the entries. */
class DayReader {
  readonly #closes: SqliteCloseRecords;
  readonly #journal: JournalReader;
  readonly #keys: KeyLookup;
  readonly #entries;

  constructor(db: Database, keys: KeyLookup) {
    this.#keys = keys;
    this.#journal = new JournalReader(db);
    this.#closes = new SqliteCloseRecords(db, keys, this.#journal);
    this.#entries = db.prepare<[number, string, string, number, number], EntryRow>(ENTRIES);
  }

  report(day: string): DailyReport | undefined {
    const close = this.#closes.of(day);
    return close && (JSON.parse(close.report) as DailyReport);
  }

  found(report: DailyReport, query: DayMovementQuery): { rows: Found[]; isWhole: boolean } {
    const previous = report.previous === null ? undefined : this.report(report.previous.day);
    const fold = new ClosedFold(report, previous);
    const decimals = new Map(report.totals.map((total) => [total.asset, total.decimals]));
    const { afterSeq, throughSeq } = report.journal;
    const also = recounted(report, previous);
    const found: Found[] = [];
    const asked = { afterSeq, throughSeq, also, ownBy: 'confirmed' } as const;
    const { hashesMax = Number.POSITIVE_INFINITY } = query;
    let hashes = 0;
    let isWhole = true;
    for (const { network, blockchainHash, lines } of this.#closes.hashes(asked)) {
      isWhole = hashes < hashesMax;
      if (!isWhole) break;
      hashes += 1;
      for (const { place, effects } of fold.moved({ network, blockchainHash }, lines)) {
        const row: Found = {
          ...place,
          decimals: decimals.get(place.asset) ?? null,
          network,
          blockchainHash,
          amounts: amountsOf(effects),
        };
        if (isAsked(query, row)) found.push(row);
      }
    }
    return { rows: found.sort(inOrder), isWhole };
  }

  /** Puts the entries to what was found. */
  whole(found: readonly Found[], { afterSeq, throughSeq }: DailyReport['journal']): DayMovement[] {
    const rows = found.map((one): readonly EntryRow[] => {
      const { vaultId, asset } = one;
      const network = NetworkKey(one.network);
      const blockchainHash = BlockchainHash(one.blockchainHash);
      const hashId = this.#keys.hashId({ network, blockchainHash });
      if (hashId === undefined) return [];
      const ofDay = this.#entries.all(hashId, vaultId, asset, afterSeq, throughSeq);
      return ofDay.length > 0 ? ofDay : this.#entries.all(hashId, vaultId, asset, 0, afterSeq);
    });
    const names = this.#names(rows.flat());
    return found.map((one, at) => ({
      ...one,
      entries: (rows[at] ?? []).map((row) => entryOf(row, names.get(row.seq) ?? NO_NAMES)),
    }));
  }

  /** Names by fact, in the journal's order: bodies that were packed together are unpacked once. */
  #names(rows: readonly EntryRow[]): Map<number, ReadonlyMap<string, string>> {
    const names = new Map<number, ReadonlyMap<string, string>>();
    for (const { seq } of rows.toSorted((left, right) => left.seq - right.seq)) {
      if (names.has(seq)) continue;
      const fact = this.#journal.at(seq);
      if (fact !== undefined) names.set(seq, placeNamesOf(fact));
    }
    return names;
  }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function entryOf(row: EntryRow, names: ReadonlyMap<string, string>): MovementEntry {
  const told = (id: string): string | null => (id === '' ? null : id);
  return {
    entryId: row.entry_id,
    seq: row.seq,
    recordedAt: row.posted_at,
    source: row.source as Entry['source'],
    change: row.change_kind as ChangeKind,
    amount: storedAmount(row.amount),
    accountId: told(row.account_id),
    accountName: names.get(row.account_id) ?? null,
    addressId: told(row.address_id),
    addressName: names.get(row.address_id) ?? null,
    memo: told(row.memo),
    transactionId: row.transaction_id,
    notificationId: row.notification_id,
  };
}

/** One page of the movements behind a closed day's figures; to be asked within one snapshot. */
export function readDayMovements(
  db: Database,
  keys: KeyLookup,
  asked: { readonly query: DayMovementQuery; readonly page: PageRequest },
): DayMovementPage | undefined {
  const reader = new DayReader(db, keys);
  const report = reader.report(asked.query.day);
  if (report === undefined) return undefined;
  const { rows, isWhole } = reader.found(report, asked.query);
  const page = pageWithin(rows, asked.page);
  return { ...page, isWhole, items: reader.whole(page.items, report.journal) };
}
