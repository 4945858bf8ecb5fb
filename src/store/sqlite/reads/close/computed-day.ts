import type { Database } from 'better-sqlite3';
import type { BreakType } from '../../../../domain/break/break.ts';
import { hashName } from '../../../../domain/close/fold.ts';
import type { CloseRecord } from '../../../../domain/close/record.ts';
import type { DailyReport, ExplanationKind } from '../../../../domain/close/report.ts';
import { BlockchainHash, NetworkKey, type HashKey } from '../../../../domain/ids.ts';
import type { ComputedClose, CountedTransaction, HashInDoubt } from '../../../answers.ts';
import { computeDay, packDay, type ComputedDay } from '../../../close/close-day.ts';
import { SqliteCloseRecords } from '../../close/close-records.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';

/**
 * Computes a day's report (`Reads.computeDay`), within the caller's transaction. `at`: when, Unix
 * milliseconds.
 */
export function readComputedDay(
  db: Database,
  { keys, journal }: { readonly keys: KeyLookup; readonly journal: JournalReader },
  { record, at }: { readonly record: CloseRecord; readonly at: number },
): ComputedClose {
  const closes = new SqliteCloseRecords(db, keys, journal);
  const asOf = { seq: journal.head(), at };
  const day = computeDay(record, closes, at);
  return { asOf, computed: packDay(day), inDoubt: hashesInDoubt(day, closes) };
}

/** Explanations of differences whose custody figure may count a transaction that is gone. */
const MAY_COUNT_GONE: ReadonlySet<ExplanationKind> = new Set(['break', 'resolved_break', 'exempt']);

/**
 * The hashes that the close asks about. First come those whose difference from custody has no
 * explanation. Others matter where a transaction counts that the API may not know any more.
 */
function hashesInDoubt({ row }: ComputedDay, closes: SqliteCloseRecords): HashInDoubt[] {
  const { differences, openBreaks } = JSON.parse(row.report) as DailyReport;
  const apart = differences.filter(({ against }) => against === 'custody');
  const unexplained = apart.filter(({ explanation }) => explanation === 'unexplained');
  const exempt = closes.exemptions().differences.map(({ finding }) => finding);
  const others = [
    ...apart.filter(({ explanation }) => MAY_COUNT_GONE.has(explanation)),
    ...openBreaks.filter(isOfUnknown),
    ...exempt.filter(isOfUnknown).map(({ subject }) => subject),
  ];
  const found = new Map<string, HashInDoubt>();
  for (const hash of hashesOf(unexplained)) {
    const { blockchainHash } = hash;
    found.set(hashName(hash), { blockchainHash, counted: countedAt(hash, closes) });
  }
  for (const hash of hashesOf(others)) {
    const { blockchainHash } = hash;
    const counted = found.has(hashName(hash)) ? [] : countedAt(hash, closes);
    if (counted.length > 0) found.set(hashName(hash), { blockchainHash, counted });
  }
  return [...found.values()];
}

function isOfUnknown({ type }: { readonly type: BreakType }): boolean {
  return type === 'unknown_to_custody';
}

function hashesOf(
  rows: readonly { readonly network: string | null; readonly blockchainHash: string | null }[],
): HashKey[] {
  return rows.flatMap(({ network, blockchainHash }) =>
    network === null || blockchainHash === null
      ? []
      : [{ network: NetworkKey(network), blockchainHash: BlockchainHash(blockchainHash) }],
  );
}

function countedAt(hash: HashKey, closes: SqliteCloseRecords): CountedTransaction[] {
  const effects = closes.effectsOfHash(hash);
  const byId = new Map(effects.map((effect) => [effect.transactionId, effect]));
  return [...byId.values()].map(({ transactionId, vaultId, network, blockchainHash }) => ({
    transactionId,
    vaultId,
    network,
    blockchainHash,
  }));
}
