import { negated, plus, ZERO, type Amount } from '../money/amount.ts';
import type { HashFacts } from './hash-facts.ts';
import type { CloseRecord } from './record.ts';
import type { DailyReport, ReportInTransit, ReportUnconfirmed } from './report.ts';
import { AssetId, VaultId } from '../ids.ts';
import {
  isDebitLine,
  sumsByVaultAsset,
  vaultAssetKey,
  unreversed,
  type AwaitedCredit,
  type HashOrigin,
  type VaultAsset,
  type PositionLine,
} from '../money/roll-forward.ts';

/**
 * The evidence that makes a hash an own transaction's.
 *
 * - `any-webhook`: any webhook says so (rules 1).
 * - `unrefuted`: a webhook says so and nothing refutes it. Without a custody API nobody else can say.
 * - `confirmed`: the custody API says so. Webhooks are unsigned, so they do not count.
 */
export type OwnEvidence = 'any-webhook' | 'unrefuted' | 'confirmed';

/** The evidence that a close's rules require. */
export function ownEvidenceOf({ rules, custody }: CloseRecord): OwnEvidence {
  if (rules !== 2) return 'any-webhook';
  return custody.kind === 'not_read' && custody.configured === false ? 'unrefuted' : 'confirmed';
}

function isDebited(books: readonly PositionLine[]): boolean {
  return books.some(isDebitLine) && unreversed(books).some(isDebitLine);
}

interface Credit {
  readonly vaultAsset: VaultAsset;
  readonly amount: Amount;
  readonly isChange: boolean;
}

/** Credits by vault and asset, and whether any is change. */
function creditsByVaultAsset(credits: readonly Credit[]): Map<string, Credit> {
  const sums = new Map<string, Credit>();
  for (const credit of credits) {
    const key = vaultAssetKey(credit.vaultAsset);
    const known = sums.get(key);
    sums.set(key, {
      vaultAsset: credit.vaultAsset,
      amount: plus(known?.amount ?? ZERO, credit.amount),
      isChange: credit.isChange || known?.isChange === true,
    });
  }
  return sums;
}

function booked(lines: readonly PositionLine[]): Map<string, Credit> {
  const received = lines.filter(({ cause }) => cause === 'incoming');
  return creditsByVaultAsset(
    received.map(({ vaultId, asset, amount, change }) => ({
      vaultAsset: { vaultId, asset },
      amount,
      isChange: change === 'change',
    })),
  );
}

/**
 * Credits of the hash on own positions that the books lacked at the cut-off: shown by the custody
 * API, or booked since. So the destination decides, not the order of notifications.
 */
function awaitedOf(facts: HashFacts, books: readonly PositionLine[]): AwaitedCredit[] {
  const atCutOff = booked(books);
  const byNow = booked(facts.lines);
  const byCustody = creditsByVaultAsset(
    facts.custody
      .filter(({ kind }) => kind === 'incoming' || kind === 'change')
      .map(({ vaultId, asset, amount, kind }) => ({
        vaultAsset: { vaultId, asset },
        amount,
        isChange: kind === 'change',
      })),
  );
  const credits = new Map([...byNow, ...byCustody]);
  return [...credits].flatMap(([key, { vaultAsset }]): AwaitedCredit[] => {
    const known = [byNow.get(key), byCustody.get(key)].filter((one) => one !== undefined);
    const most = known.reduce((left, { amount }) => (amount > left ? amount : left), ZERO);
    const amount = plus(most, negated(atCutOff.get(key)?.amount ?? ZERO));
    if (amount <= ZERO) return [];
    const { vaultId, asset } = vaultAsset;
    return known.some(({ isChange }) => isChange)
      ? [{ kind: 'change', from: vaultId, asset, amount }]
      : [{ kind: 'internal', asset, amount }];
  });
}

/** The origin of a hash as known when a day is closed. `books`: its lines at the cut-off. */
export function originNow(
  facts: HashFacts,
  books: readonly PositionLine[],
  record: CloseRecord,
): HashOrigin {
  const evidence = ownEvidenceOf(record);
  if (evidence === 'any-webhook') return { own: facts.own || books.some(isDebitLine), awaited: [] };
  const hasDebit = isDebited(books);
  const own = facts.own || (evidence === 'unrefuted' && hasDebit);
  return { own, awaited: own && hasDebit ? awaitedOf(facts, books) : [] };
}

/** A report's rows that record the origin of a hash. */
export interface OriginRows {
  readonly version: DailyReport['version'];
  readonly inTransit: readonly ReportInTransit[];
  readonly unconfirmed: readonly ReportUnconfirmed[];
}

/**
 * The origin of a hash as a report recorded it. `books`: the hash's lines at that report's cut-off.
 */
export function originInReport(rows: OriginRows, books: readonly PositionLine[]): HashOrigin {
  const isLeg = rows.inTransit.some(({ kind }) => kind === 'internal');
  if (rows.version === 1) return { own: isLeg || books.some(isDebitLine), awaited: [] };
  const isConfirmed = rows.unconfirmed.length === 0 && isDebited(books);
  const awaited = rows.inTransit
    .filter(({ leg }) => leg === 'debit')
    .map(({ kind, vaultId, asset, amount }) => ({
      kind,
      from: VaultId(vaultId),
      asset: AssetId(asset),
      amount: -BigInt(amount) as Amount,
    }));
  return { own: isLeg || isConfirmed, awaited };
}

/** Own debits of a hash that are active and unconfirmed, by vault and asset. */
export function unconfirmedOf(
  { network, blockchainHash }: HashFacts,
  books: readonly PositionLine[],
  origin: HashOrigin,
): ReportUnconfirmed[] {
  if (origin.own || !isDebited(books)) return [];
  const debits = unreversed(books).filter(isDebitLine);
  return sumsByVaultAsset(debits).map(({ vaultId, asset, amount }) => ({
    vaultId,
    network,
    blockchainHash,
    asset,
    amount: amount.toString(),
  }));
}
