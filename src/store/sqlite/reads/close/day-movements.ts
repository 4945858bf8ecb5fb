import type { Database } from 'better-sqlite3';
import { storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import { ClosedFold, type HashName } from '../../../../domain/close/fold.ts';
import type { DailyReport } from '../../../../domain/close/report.ts';
import type { Entry } from '../../../../domain/money/entry.ts';
import { BlockchainHash, NetworkKey, type HashKey } from '../../../../domain/ids.ts';
import type { ChangeKind } from '../../../../domain/fact/notification.ts';
import { CATEGORIES, type Category, type Effects } from '../../../../domain/money/roll-forward.ts';
import type {
  DayMovement,
  DayMovementPage,
  DayMovementQuery,
  MovementEntry,
} from '../../../day-movement.ts';
import { pageWithin, type PageRequest } from '../../../page.ts';
import { accountNamesOf } from '../../../unit/account-names.ts';
import { SqliteCloseRecords } from '../../close/close-records.ts';
import { JournalReader } from '../../journal/journal-reader.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { byUtf8 } from '../../../text-order.ts';

/** Most lines of one page: a hash can be posted and reversed any number of times. */
const ENTRIES_MAX = 100_000;

/** The lines of a hash in one vault and asset, within a range of facts. */
const ENTRIES = `SELECT entry.entry_id, entry.seq, entry.source, entry.posted_at,
    entry.transaction_id, position.account_id, position.address_id, position.memo,
    posting.change_kind, posting.amount, notification.id AS notification_id
  FROM entries AS entry
  JOIN postings AS posting USING (entry_id)
  JOIN ledger_accounts AS position USING (ledger_account)
  LEFT JOIN notifications AS notification ON notification.seq = entry.seq
  WHERE entry.hash_id = ? AND entry.view = 'books' AND position.kind = 'position'
    AND position.vault_id = ? AND position.asset = ? AND entry.seq > ? AND entry.seq <= ?
  ORDER BY entry.entry_id, posting.line LIMIT ?`;

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

/** The figures that a hash moved, without zeros. */
function amountsOf(effects: Effects): Partial<Record<Category, Amount>> {
  const moved = CATEGORIES.filter((category) => effects[category] !== ZERO);
  return Object.fromEntries(moved.map((category) => [category, effects[category]]));
}

/** Hashes that a day may count otherwise than the day before without a new entry. */
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

/** Compares by asset, vault and hash, the order in which a person checks a report. */
function inOrder(left: Found, right: Found): number {
  return (
    byUtf8(left.asset, right.asset) ||
    byUtf8(left.vaultId, right.vaultId) ||
    byUtf8(left.blockchainHash, right.blockchainHash)
  );
}

/** Reads a closed day's movements from its sealed report, the report before it, and the entries. */
class DayReader {
  readonly #closes: SqliteCloseRecords;
  readonly #journal: JournalReader;
  readonly #keys: KeyLookup;
  readonly #entries;

  constructor(db: Database, keys: KeyLookup) {
    this.#keys = keys;
    this.#journal = new JournalReader(db);
    this.#closes = new SqliteCloseRecords(db, keys, this.#journal);
    this.#entries = db.prepare<[number, string, string, number, number, number], EntryRow>(ENTRIES);
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
    const asked = { afterSeq, throughSeq, also, ownEvidence: 'confirmed' } as const;
    const { hashesMax = Number.POSITIVE_INFINITY } = query;
    let hashes = 0;
    let isWhole = true;
    for (const { network, blockchainHash, lines } of this.#closes.hashes(asked)) {
      isWhole = hashes < hashesMax;
      if (!isWhole) break;
      hashes += 1;
      for (const { vaultAsset, effects } of fold.moved({ network, blockchainHash }, lines)) {
        const row: Found = {
          ...vaultAsset,
          decimals: decimals.get(vaultAsset.asset) ?? null,
          network,
          blockchainHash,
          amounts: amountsOf(effects),
        };
        if (isAsked(query, row)) found.push(row);
      }
    }
    return { rows: found.sort(inOrder), isWhole };
  }

  /** Adds the entries to the movements. `isWhole`: false when there are more. */
  whole(
    found: readonly Found[],
    { journal: { afterSeq, throughSeq } }: DailyReport,
    entriesMax: number,
  ): { items: DayMovement[]; isWhole: boolean } {
    let left = entriesMax;
    const rows = found.map((one): readonly EntryRow[] => {
      const { vaultId, asset } = one;
      const network = NetworkKey(one.network);
      const blockchainHash = BlockchainHash(one.blockchainHash);
      const hashId = this.#keys.hashId({ network, blockchainHash });
      if (hashId === undefined) return [];
      const read = (after: number, through: number): EntryRow[] =>
        this.#entries.all(hashId, vaultId, asset, after, through, Math.max(0, left) + 1);
      const ofDay = read(afterSeq, throughSeq);
      const shown = ofDay.length > 0 ? ofDay : read(0, afterSeq);
      left -= shown.length;
      return left < 0 ? shown.slice(0, left) : shown;
    });
    const names = this.#names(rows.flat());
    const items = found.map((one, at) => ({
      ...one,
      entries: (rows[at] ?? []).map((row) => entryOf(row, names.get(row.seq) ?? NO_NAMES)),
    }));
    return { items, isWhole: left >= 0 };
  }

  /** Names by fact. Facts are read in the journal's order, so that each block is inflated once. */
  #names(rows: readonly EntryRow[]): Map<number, ReadonlyMap<string, string>> {
    const names = new Map<number, ReadonlyMap<string, string>>();
    for (const { seq } of rows.toSorted((left, right) => left.seq - right.seq)) {
      if (names.has(seq)) continue;
      const fact = this.#journal.at(seq);
      if (fact !== undefined) names.set(seq, accountNamesOf(fact));
    }
    return names;
  }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function entryOf(row: EntryRow, names: ReadonlyMap<string, string>): MovementEntry {
  const orNull = (id: string): string | null => (id === '' ? null : id);
  return {
    entryId: row.entry_id,
    seq: row.seq,
    recordedAt: row.posted_at,
    source: row.source as Entry['source'],
    change: row.change_kind as ChangeKind,
    amount: storedAmount(row.amount),
    accountId: orNull(row.account_id),
    accountName: names.get(row.account_id) ?? null,
    addressId: orNull(row.address_id),
    addressName: names.get(row.address_id) ?? null,
    memo: orNull(row.memo),
    transactionId: row.transaction_id,
    notificationId: row.notification_id,
  };
}

/**
 * One page of the movements of a closed day's figures; undefined when the day is not closed. Call
 * it within one transaction.
 */
export function readDayMovements(
  db: Database,
  keys: KeyLookup,
  asked: {
    readonly query: DayMovementQuery;
    readonly page: PageRequest;
    readonly entriesMax?: number;
  },
): DayMovementPage | undefined {
  const { entriesMax = ENTRIES_MAX } = asked;
  const reader = new DayReader(db, keys);
  const report = reader.report(asked.query.day);
  if (report === undefined) return undefined;
  const { rows, isWhole } = reader.found(report, asked.query);
  const page = pageWithin(rows, asked.page);
  const whole = reader.whole(page.items, report, entriesMax);
  return { ...page, items: whole.items, isWhole: isWhole && whole.isWhole };
}
