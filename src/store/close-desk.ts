import { negated, storedAmount, type Amount } from '../domain/amount.ts';
import { closeDay, type SealedDay } from '../domain/close-day.ts';
import type { HashFacts } from '../domain/close-difference.ts';
import { mayClose, type CloseRecord, type CountedEffect } from '../domain/close-record.ts';
import type { DailyReport } from '../domain/close-report.ts';
import { BlockchainHash, NetworkKey, type HashKey } from '../domain/ids.ts';
import type { Place } from '../domain/roll-forward.ts';
import type { DeskTools } from './desk-tools.ts';
import { eventTimeOf } from './event-time.ts';
import type { CloseSource, CustodyEffectRow, DailyCloseRow } from './records.ts';
import { sha256 } from './seal.ts';

function sealedDay(row: DailyCloseRow | undefined): SealedDay | undefined {
  if (row === undefined) return undefined;
  const { day, cutOffAt, throughSeq, reportHash } = row;
  return { day, cutOffAt, throughSeq, reportHash, report: JSON.parse(row.report) as DailyReport };
}

/** The SHA-256 of a report's text, as its row and its successor name it. */
export function reportHashOf(report: string): string {
  return sha256(Buffer.from(report, 'utf8')).toString('hex');
}

/** The rows that a transaction's effect is kept in from now on, and what the figures move by. */
function countAnew(
  effect: CountedEffect,
  before: readonly CustodyEffectRow[],
): { rows: CustodyEffectRow[]; moved: (Place & { amount: Amount })[] } {
  const { transactionId, vaultId, network, blockchainHash } = effect;
  const now = effect.amounts.map(({ asset, amount }) => ({
    transactionId,
    vaultId,
    network,
    blockchainHash,
    asset,
    amount,
  }));
  const gone = before.map((row) => ({ ...row, amount: storedAmount('0') }));
  const taken = before.map(({ vaultId: vault, asset, amount }) => ({
    vaultId: vault,
    asset,
    amount: negated(amount),
  }));
  const given = now.map(({ asset, amount }) => ({ vaultId, asset, amount }));
  return { rows: [...gone, ...now], moved: [...taken, ...given] };
}

/** Hashes that must be looked at although nothing of theirs was posted in the day. */
function carriedHashes(
  days: readonly (SealedDay | undefined)[],
  counted: readonly CountedEffect[],
  moved: readonly CustodyEffectRow[],
): HashKey[] {
  const reports = days.flatMap((day) => (day === undefined ? [] : [day.report]));
  const open = reports.flatMap(({ differences, inTransit }) => [...differences, ...inTransit]);
  return [
    ...open.map(({ network, blockchainHash }) => ({
      network: NetworkKey(network),
      blockchainHash: BlockchainHash(blockchainHash),
    })),
    ...counted,
    ...moved,
  ].map(({ network, blockchainHash }) => ({ network, blockchainHash }));
}

function* factsOf(
  source: CloseSource,
  query: Parameters<CloseSource['hashes']>[0],
): Generator<HashFacts> {
  for (const { network, blockchainHash, lines } of source.hashes(query)) {
    const hash = { network, blockchainHash };
    const custody = source.effectsOfHash(hash);
    yield { ...hash, lines, own: source.isOwnHash(hash), custody };
  }
}

/**
 * Closes a day: rolls the sealed balances forward by the day's entries, compares, and seals the
 * report. False when the rules refuse it (closed already, out of order, before its cut-off).
 */
export function takeClose(
  record: CloseRecord,
  { set, source, flush }: DeskTools,
  now: { readonly seq: number; readonly at: number },
): boolean {
  flush();
  const { closes } = source;
  const last = closes.last();
  const { throughSeq } = record;
  const times = {
    through: closes.recordedAt(throughSeq),
    next: throughSeq + 1 < now.seq ? closes.recordedAt(throughSeq + 1) : now.at,
  };
  if (!mayClose(record, { last, at: now.at, seq: now.seq, times })) return false;
  const counted = record.custody.kind === 'read' ? record.custody.counted : [];
  const before = counted.map((effect) => closes.effectsOfTransaction(effect.transactionId));
  const anew = counted.map((effect, index) => countAnew(effect, before[index] ?? []));
  set.putCustodyEffects(anew.flatMap(({ rows }) => rows));
  flush();
  const previous = sealedDay(last);
  const compared = sealedDay(closes.last('compared'));
  const isCompared = record.custody.kind === 'read';
  const afterSeq = isCompared ? (compared?.throughSeq ?? 0) : (previous?.throughSeq ?? 0);
  const also = carriedHashes([previous, compared], counted, before.flat());
  const report = closeDay({
    record,
    at: now.at,
    previous,
    compared,
    hashes: factsOf(closes, { afterSeq, throughSeq, also }),
    custodyMoved: anew.flatMap(({ moved }) => moved),
    openBreaks: closes.breaksOpenAt(throughSeq),
    breaksOf: ({ blockchainHash }) => closes.breaksOfHash(blockchainHash),
    decimals: (asset) => set.pinnedDecimals(asset),
    eventAt: (seq) => {
      const row = closes.journalRow(seq);
      return row === undefined ? null : eventTimeOf(row);
    },
    closedDayOf: (at) => closes.dayOf(at) ?? last?.day ?? record.day,
  });
  const text = JSON.stringify(report);
  const row: DailyCloseRow = {
    day: record.day,
    seq: now.seq,
    timezone: record.timezone,
    cutOffAt: record.cutOffAt,
    closedAt: now.at,
    throughSeq,
    commitNumber: record.seal.commitNumber,
    sealHash: record.seal.hash,
    status: report.status,
    custodyCompared: isCompared,
    report: text,
    reportHash: reportHashOf(text),
    previousReportHash: last?.reportHash ?? null,
  };
  set.addClose({ row, totals: report.totals });
  return true;
}
