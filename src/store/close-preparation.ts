import { storedAmount, type Amount } from '../domain/amount.ts';
import { amendFold, foldDay, hashName, type DayFold, type HashName } from '../domain/close-fold.ts';
import type { CloseRecord } from '../domain/close-record.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  seqOfId,
  VaultId,
  type HashKey,
} from '../domain/ids.ts';
import { CATEGORIES, Totals } from '../domain/roll-forward.ts';
import { encodeFact, jsonBytes } from './fact-codec.ts';
import { OpenDay } from './open-day.ts';
import type { CloseSource, RecordSource, SealedPositions, Touched } from './records.ts';
import { sha256 } from './seal.ts';

/** What the hashes of a day come to, and what its positions held at its end. */
export interface DayWork {
  readonly fold: DayFold;
  readonly positions: SealedPositions;
}

type PackedSums = readonly (readonly [string, string])[];

/** A day worked out beside the writer, as JSON. */
interface Packed {
  /** Names the fact that it was worked out for. */
  readonly closeDigest: string;
  readonly previousReportHash: string | null;
  /** The last fact that was looked at. */
  readonly headSeq: number;
  /** Vault, asset, and what it moved by in each category. */
  readonly effects: readonly (readonly string[])[];
  readonly net: PackedSums;
  readonly chain: PackedSums;
  readonly rows: Pick<
    DayFold,
    'inTransit' | 'unconfirmed' | 'priorDay' | 'differences' | 'afterCutOff'
  >;
  readonly burned: PackedSums;
  /** Hashes that differ and have exemptions, and the digest of those. */
  readonly exempt: readonly (readonly [string, string])[];
  readonly positions: SealedPositions;
}

function digestOf(record: CloseRecord): string {
  const { body } = encodeFact({ kind: 'custody-record', at: 0, record });
  return sha256(body).toString('hex');
}

/** Names what is exempt of a hash and why; null where nothing is, or where it explains nothing. */
function exemptDigest(day: OpenDay, hash: HashKey): string | null {
  if (day.record.exemptionsExplain !== true) return null;
  const standing = day.exemptionsOf(hash);
  if (standing.length === 0) return null;
  const said = standing.map(({ finding: { type, subject }, rule }) => ({ type, subject, rule }));
  return sha256(jsonBytes(said)).toString('hex');
}

function packExempt(day: OpenDay, { differences }: DayFold): Packed['exempt'] {
  const digests = new Map<string, string>();
  for (const row of differences) {
    const digest = exemptDigest(day, keyOf(row));
    if (digest !== null) digests.set(hashName(row), digest);
  }
  return [...digests];
}

function keyOf({ network, blockchainHash }: HashName): HashKey {
  return { network: NetworkKey(network), blockchainHash: BlockchainHash(blockchainHash) };
}

function packSums(sums: ReadonlyMap<string, Amount>): PackedSums {
  return [...sums].map(([key, amount]) => [key, amount.toString()]);
}

function unpackSums(sums: PackedSums): Map<string, Amount> {
  return new Map(sums.map(([key, amount]) => [key, storedAmount(amount)]));
}

function unpackEffects(rows: Packed['effects']): Totals {
  const totals = new Totals();
  for (const [vaultId = '', asset = '', ...amounts] of rows) {
    const place = { vaultId: VaultId(vaultId), asset: AssetId(asset) };
    for (const [index, category] of CATEGORIES.entries()) {
      totals.add(place, category, storedAmount(amounts[index] ?? '0'));
    }
  }
  return totals;
}

function workOut(day: OpenDay, source: CloseSource): DayWork {
  const { throughSeq } = day.record;
  const afterSeq = day.previous?.throughSeq ?? 0;
  return {
    fold: foldDay(day.hashes(), day.context),
    positions: source.positionsAt({ afterSeq, throughSeq }),
  };
}

/**
 * Works a day out ahead of the fact that closes it, on a connection that reads one snapshot, so that
 * the writer need only look at what has changed since. Text, to be handed on with the fact; it is
 * not journalled, and a replay works the day out in full.
 */
export function prepareClose(record: CloseRecord, source: CloseSource): string {
  const headSeq = source.headSeq();
  const day = new OpenDay(record, source);
  const { fold, positions } = workOut(day, source);
  const { inTransit, unconfirmed, priorDay, differences, afterCutOff } = fold;
  const effects = fold.effects
    .rows()
    .map((row) => [
      row.place.vaultId,
      row.place.asset,
      ...CATEGORIES.map((category) => row.effects[category].toString()),
    ]);
  return JSON.stringify({
    closeDigest: digestOf(record),
    previousReportHash: day.previous?.reportHash ?? null,
    headSeq,
    effects,
    net: packSums(fold.net),
    chain: packSums(fold.chain),
    rows: { inTransit, unconfirmed, priorDay, differences, afterCutOff },
    burned: packSums(fold.burned),
    exempt: packExempt(day, fold),
    positions,
  } satisfies Packed);
}

/** Hashes of a fold that may count otherwise by now, or be explained otherwise. */
function changedHashes(
  fold: DayFold,
  exempt: Packed['exempt'],
  now: { readonly day: OpenDay; readonly touched: Touched; readonly source: CloseSource },
): HashKey[] {
  const { day, touched, source } = now;
  const { throughSeq } = day.record;
  const changed = new Map<string, HashKey>();
  const add = (hash: HashName): void => {
    changed.set(hashName(hash), keyOf(hash));
  };
  for (const row of [...fold.inTransit, ...fold.unconfirmed]) add(row);
  for (const hash of touched.own) {
    // A hash that was first told of later has nothing in the day.
    if (seqOfId(hash.hashId) <= throughSeq) add(hash);
  }
  for (const hash of source.postedAfter(touched.afterSeq)) add(hash);
  if (fold.differences.length === 0) return [...changed.values()];
  const hashes = new Set<string>();
  const breaks = new Set<string>();
  for (const { breakId, subject } of touched.breaks) {
    breaks.add(breakId);
    if (subject.blockchainHash !== null) hashes.add(subject.blockchainHash);
  }
  const exemptBefore = new Map(exempt);
  for (const row of fold.differences) {
    const isTouched =
      hashes.has(row.blockchainHash) ||
      breaks.has(row.breakId ?? '') ||
      exemptDigest(day, keyOf(row)) !== (exemptBefore.get(hashName(row)) ?? null);
    if (isTouched) add(row);
  }
  return [...changed.values()];
}

/**
 * A day as the writer finds it: from a preparation and what has changed since, or in full where none
 * was given, another day was closed meanwhile, or what was touched is not known so far back.
 */
export function workOf(
  day: OpenDay,
  source: RecordSource,
  preparation: string | undefined,
): DayWork {
  const { closes } = source;
  if (preparation === undefined) return workOut(day, closes);
  const packed = JSON.parse(preparation) as Packed;
  const { headSeq, rows, exempt, positions } = packed;
  const isOfDay =
    packed.closeDigest === digestOf(day.record) &&
    packed.previousReportHash === (day.previous?.reportHash ?? null);
  const touched = source.touchedAfter(headSeq);
  if (!isOfDay || touched === undefined) return workOut(day, closes);
  const fold = {
    ...rows,
    effects: unpackEffects(packed.effects),
    net: unpackSums(packed.net),
    chain: unpackSums(packed.chain),
    burned: unpackSums(packed.burned),
  };
  const changed = changedHashes(fold, exempt, { day, touched, source: closes });
  const listed = new Set(fold.differences.map(hashName));
  return { fold: amendFold(fold, day.hashesAmong(changed, listed), day.context), positions };
}
