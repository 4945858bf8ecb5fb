import { negated, storedAmount, ZERO, type Amount } from '../../domain/money/amount.ts';
import { ownEvidenceOf } from '../../domain/close/hash-origin.ts';
import type { HashFacts, MovedAfter } from '../../domain/close/hash-facts.ts';
import { hashName, type FoldContext, type SealedDay } from '../../domain/close/fold.ts';
import type { CloseRecord, CountedEffect } from '../../domain/close/record.ts';
import { ReadingByHash } from '../../domain/close/reading-by-hash.ts';
import { countedLateItems } from '../../domain/close/counted-late.ts';
import type { DailyReport, PriorDayItem } from '../../domain/close/report.ts';
import { activeExemptionsByHash, type ActiveExemption } from '../../domain/break/exemption.ts';
import { groupedBy } from '../../domain/grouped.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
  type HashKey,
} from '../../domain/ids.ts';
import type { VaultAsset } from '../../domain/money/roll-forward.ts';
import { eventTimeOf } from './event-time.ts';
import type { CloseSource } from '../port.ts';
import type { CustodyEffectRow, DailyCloseRow } from '../records.ts';
import { byUtf8 } from '../text-order.ts';

function sealedDay(row: DailyCloseRow | undefined): SealedDay | undefined {
  if (row === undefined) return undefined;
  const { day, cutOffAt, throughSeq, reportHash } = row;
  return { day, cutOffAt, throughSeq, reportHash, report: JSON.parse(row.report) as DailyReport };
}

function rowsOf(effect: CountedEffect): CustodyEffectRow[] {
  const { transactionId, vaultId, network, blockchainHash, kind = null } = effect;
  const { at = null, datedBy = null } = effect;
  const row = { transactionId, vaultId, network, blockchainHash, kind, at, datedBy };
  return effect.amounts.map(({ asset, amount }) => ({ ...row, asset, amount }));
}

/**
 * The movements of the transactions that this close counts again, with their times. A transaction
 * that an earlier close counted otherwise is dated by its last change, not by its own time.
 */
function datedMoves(
  counted: readonly CountedEffect[],
  rows: { before: readonly CustodyEffectRow[]; now: readonly CustodyEffectRow[] },
): (MovedAfter & HashKey)[] {
  const changed = new Set(rows.before.map(({ transactionId }) => transactionId));
  const times = new Map(
    counted.map(({ transactionId, at, datedBy, updatedAt }) => {
      const isOwnTime = at !== undefined && datedBy !== undefined && !changed.has(transactionId);
      const time = isOwnTime ? { at, datedBy } : { at: updatedAt, datedBy: 'custody' as const };
      return [transactionId, time];
    }),
  );
  const takenBack = rows.before.map((row) => ({ ...row, amount: negated(row.amount) }));
  return [...takenBack, ...rows.now].flatMap((row) => {
    const time = times.get(row.transactionId);
    return time === undefined ? [] : [{ ...row, ...time }];
  });
}

/** The movements that a report subtracted and that are also after this later cut-off. */
function stillAfter(cutOffAt: number, report: DailyReport | undefined): (MovedAfter & HashKey)[] {
  return (report?.custodyAfterCutOff ?? []).flatMap((row) => {
    const at = Date.parse(row.at);
    if (at < cutOffAt) return [];
    return [
      {
        vaultId: VaultId(row.vaultId),
        network: NetworkKey(row.network),
        blockchainHash: BlockchainHash(row.blockchainHash),
        transactionId: TransactionId(row.transactionId),
        asset: AssetId(row.asset),
        amount: storedAmount(row.amount),
        at,
        datedBy: row.datedBy,
      },
    ];
  });
}

/** Hashes that the close must read although the day has no entry of theirs. */
function carriedHashes(
  days: readonly (SealedDay | undefined)[],
  counted: readonly HashKey[],
): HashKey[] {
  const reports = days.flatMap((day) => (day === undefined ? [] : [day.report]));
  const open = reports.flatMap((report) => [
    ...report.differences,
    ...report.inTransit,
    ...(report.unconfirmed ?? []),
    ...(report.custodyAfterCutOff ?? []),
  ]);
  return [
    ...open.map(({ network, blockchainHash }) => ({
      network: NetworkKey(network),
      blockchainHash: BlockchainHash(blockchainHash),
    })),
    ...counted,
  ].map(({ network, blockchainHash }) => ({ network, blockchainHash }));
}

function byEffect(left: CustodyEffectRow, right: CustodyEffectRow): number {
  return (
    byUtf8(left.transactionId, right.transactionId) ||
    byUtf8(left.asset, right.asset) ||
    byUtf8(left.vaultId, right.vaultId)
  );
}

/**
 * A day that is about to be closed, with the earlier closes that its hashes are compared with. The
 * writer and a reader see the same until another day is closed.
 */
export class OpenDay {
  readonly record: CloseRecord;
  readonly previous: SealedDay | undefined;
  readonly compared: SealedDay | undefined;
  /** The effects of the transactions that this close counts again, before it and after it. */
  readonly effectsBefore: readonly CustodyEffectRow[];
  readonly effectsNow: readonly CustodyEffectRow[];
  readonly #source: CloseSource;
  readonly #afterSeq: number;
  readonly #carried: readonly HashKey[];
  readonly #countedAgain: ReadonlySet<string>;
  readonly #moves: readonly (MovedAfter & HashKey)[];
  readonly #effectsNow: ReadonlyMap<string, readonly CustodyEffectRow[]>;
  readonly #after: ReadonlyMap<string, readonly (MovedAfter & HashKey)[]>;
  /** Read at the first difference, because most days have none. */
  #exemptions: ReturnType<typeof activeExemptionsByHash> | undefined;

  constructor(record: CloseRecord, source: CloseSource) {
    this.record = record;
    this.#source = source;
    const isCompared = record.custody.kind === 'read';
    const counted = record.custody.kind === 'read' ? record.custody.counted : [];
    const last = source.last();
    const compared = source.last('compared');
    this.previous = sealedDay(last);
    // Nearly always the same day: its long report is parsed once.
    this.compared = compared?.day === last?.day ? this.previous : sealedDay(compared);
    this.effectsBefore = counted.flatMap((one) => source.effectsOfTransaction(one.transactionId));
    this.effectsNow = counted.flatMap(rowsOf);
    this.#afterSeq = (isCompared ? this.compared : this.previous)?.throughSeq ?? 0;
    const countedHashes = [...counted, ...this.effectsBefore];
    const moves = { before: this.effectsBefore, now: this.effectsNow };
    this.#moves = record.rules === undefined ? [] : datedMoves(counted, moves);
    this.#carried = carriedHashes([this.previous, this.compared], countedHashes);
    this.#countedAgain = new Set(counted.map(({ transactionId }) => transactionId));
    this.#effectsNow = groupedBy(this.effectsNow, hashName);
    const isCarried = isCompared && record.carriesAfterCutOff === true;
    const carried = isCarried ? stillAfter(record.cutOffAt, this.compared?.report) : [];
    const moved = this.#moves.filter(({ at }) => at >= record.cutOffAt);
    this.#after = groupedBy([...carried, ...moved], hashName);
  }

  /** How the custody figures differ from those of the last comparison. */
  get custodyMoved(): (VaultAsset & { readonly amount: Amount })[] {
    const taken = this.effectsBefore.map((row) => ({ ...row, amount: negated(row.amount) }));
    return [...taken, ...this.effectsNow].map(({ vaultId, asset, amount }) => ({
      vaultId,
      asset,
      amount,
    }));
  }

  /** Movements of closed days that earlier readings of custody lacked. */
  get countedLate(): PriorDayItem[] {
    const { record, previous } = this;
    if (record.custody.kind === 'not_read' || previous === undefined) return [];
    const late = record.custody.counted.filter(({ isLate }) => isLate === true);
    const ids = new Set(late.map(({ transactionId }) => transactionId));
    const { closedDayOf } = this.context;
    return countedLateItems(
      this.#moves.filter(
        ({ transactionId, at }) => ids.has(transactionId) && at < previous.cutOffAt,
      ),
      closedDayOf,
    );
  }

  /** The effect rows to write; an amount of zero deletes the row. */
  get effectRows(): CustodyEffectRow[] {
    const deleted = this.effectsBefore.map((row) => ({ ...row, amount: ZERO }));
    return [...deleted, ...this.effectsNow];
  }

  /** What folding this day reads. */
  get context(): FoldContext {
    const source = this.#source;
    const { record, previous, compared } = this;
    return {
      record,
      previous,
      compared,
      reading: new ReadingByHash(record.custody),
      breaksOf: ({ blockchainHash }) => source.breaksOfHash(blockchainHash),
      exemptionsOf: (hash) => this.exemptionsOf(hash),
      eventAt: (seq) => {
        const row = source.journalRow(seq);
        return row === undefined ? null : eventTimeOf(row);
      },
      closedDayOf: (at) => source.dayOf(at) ?? previous?.day ?? record.day,
    };
  }

  /** Exempt differences of a hash, ordered by key. */
  exemptionsOf({ blockchainHash }: HashKey): readonly ActiveExemption[] {
    if (this.#exemptions === undefined) {
      const { differences, rules } = this.#source.exemptions();
      this.#exemptions = activeExemptionsByHash(differences, rules);
    }
    return this.#exemptions.get(blockchainHash) ?? [];
  }

  /** Every hash that moved since the last comparison, differed then, or is counted again now. */
  hashes(): Iterable<HashFacts> {
    const { throughSeq } = this.record;
    const unlisted = this.#listsUnreported() ? this.#source.apartHashes(throughSeq) : [];
    const also = [...this.#carried, ...unlisted];
    return this.#factsOf({ afterSeq: this.#afterSeq, throughSeq, also });
  }

  /**
   * Whether this report may list differences with the chain view that no earlier report listed.
   * Reports of rules 1 omit hashes without a chain view, and every report omits the hashes of a
   * vault without one.
   */
  #listsUnreported(): boolean {
    const { record, previous } = this;
    if (record.rules === undefined || previous === undefined) return false;
    if (previous.report.version === 1 || this.compared?.report.version === 1) return true;
    const notCompared = previous.report.totals.filter((total) => total.chainDifference === null);
    if (notCompared.length === 0) return false;
    const { throughSeq } = record;
    const withChainView = new Set<string>(
      this.#source.chainVaults({ afterSeq: previous.throughSeq, throughSeq }),
    );
    return notCompared.some(({ vaultId }) => withChainView.has(vaultId));
  }

  *#factsOf(
    query: Omit<Parameters<CloseSource['hashes']>[0], 'ownEvidence'>,
  ): Generator<HashFacts> {
    const ownEvidence = ownEvidenceOf(this.record);
    for (const hash of this.#source.hashes({ ...query, ownEvidence })) {
      const custody = this.#custodyOf(hash);
      // Rules 1 ignored the kind of an effect, and the effects of their days have none.
      const isShown =
        ownEvidence !== 'any-webhook' && custody.some(({ kind }) => kind === 'outgoing');
      const after = this.#after.get(hashName(hash)) ?? [];
      yield { ...hash, own: hash.own || isShown, custody, after };
    }
  }

  /** The effects of a hash's transactions, with those that this close counts again. */
  #custodyOf(hash: HashKey): readonly CustodyEffectRow[] {
    const known = this.#source.effectsOfHash(hash);
    if (this.#countedAgain.size === 0) return known;
    const kept = known.filter(({ transactionId }) => !this.#countedAgain.has(transactionId));
    return [...kept, ...(this.#effectsNow.get(hashName(hash)) ?? [])].sort(byEffect);
  }
}
