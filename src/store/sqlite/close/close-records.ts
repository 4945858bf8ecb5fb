import type { Database } from 'better-sqlite3';
import { storedAmount } from '../../../domain/money/amount.ts';
import type { Break, BreakState } from '../../../domain/break/break.ts';
import type { EntryCause, View } from '../../../domain/money/entry.ts';
import {
  AssetId,
  BlockchainHash,
  type BreakId,
  firstEntryIdOf,
  NetworkKey,
  TransactionId,
  VaultId,
  type HashKey,
} from '../../../domain/ids.ts';
import type { ChangeKind } from '../../../domain/fact/notification.ts';
import type { PositionLine } from '../../../domain/money/roll-forward.ts';
import type { CustodyEffectRow, DailyCloseRow, JournalRow, SignatureRow } from '../../records.ts';
import type { CloseSource, SealedPositions } from '../../port.ts';
import { ExemptionRecords } from '../breaks/exemption-records.ts';
import { PositionTotals } from '../reads/books/position-totals.ts';
import { breakOf } from '../table/rows/break-row.ts';
import { dailyCloseOf, effectOf, signatureOf } from '../table/rows/close-row.ts';
import { statementsOf, type LineRow } from './close-statements.ts';
import type { JournalReader } from '../journal/journal-reader.ts';

function lineOf(row: LineRow): PositionLine {
  const [entryId, seq, view, cause, reverses, transactionId, ...rest] = row;
  const [postedAt, vaultId, change, amount, asset] = rest;
  return {
    entryId,
    seq,
    view: view as View,
    cause: cause as EntryCause,
    reverses,
    transactionId: transactionId === null ? null : TransactionId(transactionId),
    postedAt,
    vaultId: VaultId(vaultId),
    asset: AssetId(asset),
    change: change as ChangeKind,
    amount: storedAmount(amount),
  };
}

function hashKeyOf([network, hash]: [string, string]): HashKey {
  return { network: NetworkKey(network), blockchainHash: BlockchainHash(hash) };
}

/** Finds the number of a hash; the writer's `KeyIndex` or a reader's `KeyLookup`. */
interface HashIds {
  hashId(hash: HashKey): number | undefined;
}

/** The records that closing a day reads, through statements that are compiled once. */
export class SqliteCloseRecords implements CloseSource {
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #keys: HashIds;
  readonly #journal: JournalReader;
  readonly #exemptions: ExemptionRecords;
  readonly #positions: PositionTotals;

  constructor(db: Database, keys: HashIds, journal: JournalReader) {
    this.#keys = keys;
    this.#journal = journal;
    this.#exemptions = new ExemptionRecords(db);
    this.#ask = statementsOf(db);
    this.#positions = new PositionTotals(db);
  }

  last(compared?: 'compared'): DailyCloseRow | undefined {
    const row = (compared === undefined ? this.#ask.last : this.#ask.lastCompared).get();
    return row && dailyCloseOf(row);
  }

  of(day: string): DailyCloseRow | undefined {
    const row = this.#ask.of.get(day);
    return row && dailyCloseOf(row);
  }

  dayOf(at: number): string | undefined {
    return this.#ask.dayOf.get(at);
  }

  journalRow(seq: number): JournalRow | undefined {
    return this.#journal.at(seq);
  }

  recordedAt(seq: number): number | undefined {
    return this.#journal.recordedAt(seq);
  }

  *hashes(
    query: Parameters<CloseSource['hashes']>[0],
  ): Generator<HashKey & { readonly lines: readonly PositionLine[]; readonly own: boolean }> {
    const also = JSON.stringify(
      query.also.map((hash) => [
        hash.network,
        hash.blockchainHash,
        this.#keys.hashId(hash) ?? null,
      ]),
    );
    const from = firstEntryIdOf(query.afterSeq + 1);
    const to = firstEntryIdOf(query.throughSeq + 1);
    // All rows at once, because the caller runs other statements on this connection between them.
    for (const [hashId, network, hash] of this.#ask.hashes.all(also, from, to)) {
      const key = { network: NetworkKey(network), blockchainHash: BlockchainHash(hash) };
      if (hashId === null) {
        yield { ...key, lines: [], own: false };
        continue;
      }
      const own = this.#ask.own[query.ownEvidence].get({ hashId }) !== undefined;
      yield { ...key, lines: this.#ask.lines.all(hashId).map(lineOf), own };
    }
  }

  chainVaults({ afterSeq, throughSeq }: { afterSeq: number; throughSeq: number }): VaultId[] {
    const [from, to] = [firstEntryIdOf(afterSeq + 1), firstEntryIdOf(throughSeq + 1)];
    return this.#ask.chainVaults.all(from, to).map(VaultId);
  }

  hasChainView(vaultId: VaultId): boolean {
    return this.#ask.hasChainView.get(vaultId) !== undefined;
  }

  apartHashes(seq: number): readonly HashKey[] {
    return this.#ask.apartHashes.all(firstEntryIdOf(seq + 1)).map(hashKeyOf);
  }

  positionsAt(span: { afterSeq: number; throughSeq: number }): SealedPositions {
    return this.#positions.at(span);
  }

  effectsOfHash({ network, blockchainHash }: HashKey): readonly CustodyEffectRow[] {
    return this.#ask.effectsOfHash.all(blockchainHash, network).map(effectOf);
  }

  effectsOfTransaction(transactionId: TransactionId): readonly CustodyEffectRow[] {
    return this.#ask.effectsOfTransaction.all(transactionId).map(effectOf);
  }

  breaksOfHash(hash: BlockchainHash): readonly Break[] {
    return this.#ask.breaksOfHash.all(hash).map(breakOf);
  }

  break(breakId: BreakId): Break | undefined {
    const row = this.#ask.break.get(breakId);
    return row && breakOf(row);
  }

  decimals(asset: AssetId): number | undefined {
    return this.#ask.decimals.get(asset);
  }

  exemptions(): ReturnType<CloseSource['exemptions']> {
    return {
      differences: this.#exemptions.differences(),
      rules: this.#exemptions.rules()?.rules ?? [],
    };
  }

  breaksOpenAt(seq: number): readonly Break[] {
    return this.#ask.breaksOpenAt.all(seq, seq).map((row) => {
      const state: BreakState = row.state_then === 'opened' ? 'open' : 'investigating';
      return { ...breakOf(row), state, resolvedAt: null, resolvedBy: null, resolution: null };
    });
  }

  signatures(day: string): readonly SignatureRow[] {
    return this.#ask.signatures.all(day).map(signatureOf);
  }
}
