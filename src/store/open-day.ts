import { negated, storedAmount, type Amount } from '../domain/amount.ts';
import { ownByOf } from '../domain/close/own-word.ts';
import type { HashFacts, MovedAfter } from '../domain/close/hash-facts.ts';
import { byCodePoint, hashName, type FoldContext, type SealedDay } from '../domain/close-fold.ts';
import type { CloseRecord, CountedEffect } from '../domain/close-record.ts';
import type { DailyReport } from '../domain/close-report.ts';
import { standingByHash, type StandingExemption } from '../domain/exemption.ts';
import { groupedBy } from '../domain/grouped.ts';
import { BlockchainHash, NetworkKey, type HashKey } from '../domain/ids.ts';
import type { Place } from '../domain/roll-forward.ts';
import { eventTimeOf } from './event-time.ts';
import type { CloseSource, CustodyEffectRow, DailyCloseRow } from './records.ts';

function sealedDay(row: DailyCloseRow | undefined): SealedDay | undefined {
  if (row === undefined) return undefined;
  const { day, cutOffAt, throughSeq, reportHash } = row;
  return { day, cutOffAt, throughSeq, reportHash, report: JSON.parse(row.report) as DailyReport };
}

function rowsOf(effect: CountedEffect): CustodyEffectRow[] {
  const { transactionId, vaultId, network, blockchainHash, kind = null } = effect;
  const { at = null, datedBy = null } = effect;
  return effect.amounts.map(({ asset, amount }) => ({
    transactionId,
    vaultId,
    network,
    blockchainHash,
    kind,
    at,
    datedBy,
    asset,
    amount,
  }));
}

/**
 * What the transactions that are counted anew moved after the cut-off. One that counted for something
 * else before is dated by its last change, whatever its own time is.
 */
function movedAfter(
  cutOffAt: number,
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
    return time === undefined || time.at < cutOffAt ? [] : [{ ...row, ...time }];
  });
}

/** Hashes that must be looked at although nothing of theirs was posted in the day. */
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
    byCodePoint(left.transactionId, right.transactionId) ||
    byCodePoint(left.asset, right.asset) ||
    byCodePoint(left.vaultId, right.vaultId)
  );
}

/**
 * A day that is to be closed: what its hashes are looked at with. The same to the writer and to a
 * reader, as long as no other day is closed.
 */
export class OpenDay {
  readonly record: CloseRecord;
  readonly previous: SealedDay | undefined;
  readonly compared: SealedDay | undefined;
  /** What the transactions counted anew counted for until now, and what they count for from now on. */
  readonly effectsBefore: readonly CustodyEffectRow[];
  readonly effectsNow: readonly CustodyEffectRow[];
  readonly #source: CloseSource;
  readonly #afterSeq: number;
  readonly #carried: readonly HashKey[];
  readonly #carriedNames: ReadonlySet<string>;
  readonly #anew: ReadonlySet<string>;
  readonly #effectsNow: ReadonlyMap<string, readonly CustodyEffectRow[]>;
  readonly #after: ReadonlyMap<string, readonly (MovedAfter & HashKey)[]>;
  /** Read when the first difference is met: most days have none. */
  #exemptions: ReturnType<typeof standingByHash> | undefined;

  constructor(record: CloseRecord, source: CloseSource) {
    this.record = record;
    this.#source = source;
    const isCompared = record.custody.kind === 'read';
    const counted = record.custody.kind === 'read' ? record.custody.counted : [];
    const last = source.last();
    const compared = source.last('compared');
    this.previous = sealedDay(last);
    // Nearly always the same day, and its report is long.
    this.compared = compared?.day === last?.day ? this.previous : sealedDay(compared);
    this.effectsBefore = counted.flatMap((one) => source.effectsOfTransaction(one.transactionId));
    this.effectsNow = counted.flatMap(rowsOf);
    this.#afterSeq = (isCompared ? this.compared : this.previous)?.throughSeq ?? 0;
    const moved = [...counted, ...this.effectsBefore];
    const moves = { before: this.effectsBefore, now: this.effectsNow };
    this.#carried = carriedHashes([this.previous, this.compared], moved);
    this.#carriedNames = new Set(this.#carried.map(hashName));
    this.#anew = new Set(counted.map(({ transactionId }) => transactionId));
    this.#effectsNow = groupedBy(this.effectsNow, hashName);
    this.#after = groupedBy(
      record.rules === undefined ? [] : movedAfter(record.cutOffAt, counted, moves),
      hashName,
    );
  }

  /** What the custody figures move by, against the last comparison. */
  get custodyMoved(): (Place & { readonly amount: Amount })[] {
    const taken = this.effectsBefore.map((row) => ({ ...row, amount: negated(row.amount) }));
    return [...taken, ...this.effectsNow].map(({ vaultId, asset, amount }) => ({
      vaultId,
      asset,
      amount,
    }));
  }

  /** The rows that the transactions' effect is kept in from now on; zero takes one away. */
  get effectRows(): CustodyEffectRow[] {
    const gone = this.effectsBefore.map((row) => ({ ...row, amount: storedAmount('0') }));
    return [...gone, ...this.effectsNow];
  }

  get context(): FoldContext {
    const source = this.#source;
    const { record, previous, compared } = this;
    return {
      record,
      previous,
      compared,
      breaksOf: ({ blockchainHash }) => source.breaksOfHash(blockchainHash),
      exemptionsOf: (hash) => this.exemptionsOf(hash),
      eventAt: (seq) => {
        const row = source.journalRow(seq);
        return row === undefined ? null : eventTimeOf(row);
      },
      closedDayOf: (at) => source.dayOf(at) ?? previous?.day ?? record.day,
    };
  }

  /** Exempt differences about a hash, in the order of their keys. */
  exemptionsOf({ blockchainHash }: HashKey): readonly StandingExemption[] {
    if (this.#exemptions === undefined) {
      const { differences, rules } = this.#source.exemptions();
      this.#exemptions = standingByHash(differences, rules);
    }
    return this.#exemptions.get(blockchainHash) ?? [];
  }

  /** Every hash that moved since the last comparison, differed then, or is counted anew now. */
  hashes(): Iterable<HashFacts> {
    const { throughSeq } = this.record;
    const unlisted = this.#listsAnew() ? this.#source.apartHashes(throughSeq) : [];
    const also = [...this.#carried, ...unlisted];
    return this.#factsOf({ afterSeq: this.#afterSeq, throughSeq, also });
  }

  /** Those among some hashes that are the day's; `listed`: those that it has rows of already. */
  *hashesAmong(some: readonly HashKey[], listed: ReadonlySet<string>): Generator<HashFacts> {
    const { throughSeq } = this.record;
    for (const facts of this.#factsOf({ afterSeq: throughSeq, throughSeq, also: some })) {
      const isPosted = facts.lines.some(({ seq }) => seq > this.#afterSeq && seq <= throughSeq);
      const name = hashName(facts);
      if (isPosted || this.#carriedNames.has(name) || listed.has(name)) yield facts;
    }
  }

  /**
   * Whether differences with the chain view are listed that no report before has listed: rules 1 left
   * out hashes that the chain view was not told of, and a vault's are left out while it is told nothing.
   */
  #listsAnew(): boolean {
    const { record, previous } = this;
    if (record.rules === undefined || previous === undefined) return false;
    if (previous.report.version === 1 || this.compared?.report.version === 1) return true;
    const untold = previous.report.totals.filter((total) => total.chainDifference === null);
    if (untold.length === 0) return false;
    const { throughSeq } = record;
    const told = new Set<string>(
      this.#source.chainVaults({ afterSeq: previous.throughSeq, throughSeq }),
    );
    return untold.some(({ vaultId }) => told.has(vaultId));
  }

  *#factsOf(query: Omit<Parameters<CloseSource['hashes']>[0], 'ownBy'>): Generator<HashFacts> {
    const ownBy = ownByOf(this.record);
    for (const hash of this.#source.hashes({ ...query, ownBy })) {
      const custody = this.#custodyOf(hash);
      // Rules 1 looked at no kind, and the effects of their days have none.
      const isShown = ownBy !== 'word' && custody.some(({ kind }) => kind === 'outgoing');
      const after = this.#after.get(hashName(hash)) ?? [];
      yield { ...hash, own: hash.own || isShown, custody, after };
    }
  }

  /** What the transactions of a hash count for, with what is counted anew by this close. */
  #custodyOf(hash: HashKey): readonly CustodyEffectRow[] {
    const known = this.#source.effectsOfHash(hash);
    if (this.#anew.size === 0) return known;
    const kept = known.filter(({ transactionId }) => !this.#anew.has(transactionId));
    return [...kept, ...(this.#effectsNow.get(hashName(hash)) ?? [])].sort(byEffect);
  }
}
