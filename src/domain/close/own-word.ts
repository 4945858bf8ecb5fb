import { negated, plus, ZERO, type Amount } from '../amount.ts';
import type { HashFacts } from './hash-facts.ts';
import type { CloseRecord } from '../close-record.ts';
import type { DailyReport, ReportInTransit, ReportUnconfirmed } from '../close-report.ts';
import { AssetId, VaultId } from '../ids.ts';
import {
  isDebitLine,
  placeKey,
  standing,
  type AwaitedCredit,
  type HashWord,
  type Place,
  type PositionLine,
} from '../roll-forward.ts';

/**
 * Whose word makes a hash an own transaction's. `word`: any webhook's (rules 1). `heeded`: any
 * webhook's that was not refuted; without a custody API nobody else can say. `confirmed`: the
 * custody API's alone, since webhooks are unsigned.
 */
export type OwnBy = 'word' | 'heeded' | 'confirmed';

export function ownByOf({ rules, custody }: CloseRecord): OwnBy {
  if (rules !== 2) return 'word';
  return custody.kind === 'not_read' && custody.configured === false ? 'heeded' : 'confirmed';
}

function isDebited(books: readonly PositionLine[]): boolean {
  return books.some(isDebitLine) && standing(books).some(isDebitLine);
}

interface Credit {
  readonly place: Place;
  readonly amount: Amount;
  readonly isChange: boolean;
}

/** Credits by place, with whether they are change. */
function byPlace(credits: readonly Credit[]): Map<string, Credit> {
  const sums = new Map<string, Credit>();
  for (const credit of credits) {
    const key = placeKey(credit.place);
    const known = sums.get(key);
    sums.set(key, {
      place: credit.place,
      amount: plus(known?.amount ?? ZERO, credit.amount),
      isChange: credit.isChange || known?.isChange === true,
    });
  }
  return sums;
}

function booked(lines: readonly PositionLine[]): Map<string, Credit> {
  const received = lines.filter(({ view, cause }) => view === 'books' && cause === 'incoming');
  return byPlace(
    received.map(({ vaultId, asset, amount, change }) => ({
      place: { vaultId, asset },
      amount,
      isChange: change === 'change',
    })),
  );
}

/**
 * Credits of the hash on own positions that were not in the books at the cut-off: those that the
 * custody API shows, and those that were booked since. So the destination decides, and not which
 * leg was told first.
 */
function awaitedOf(facts: HashFacts, books: readonly PositionLine[]): AwaitedCredit[] {
  const atCutOff = booked(books);
  const byNow = booked(facts.lines);
  const byCustody = byPlace(
    facts.custody
      .filter(({ kind }) => kind === 'incoming' || kind === 'change')
      .map(({ vaultId, asset, amount, kind }) => ({
        place: { vaultId, asset },
        amount,
        isChange: kind === 'change',
      })),
  );
  return [...new Set([...byNow.keys(), ...byCustody.keys()])].flatMap((key): AwaitedCredit[] => {
    const [now, custody] = [byNow.get(key), byCustody.get(key)];
    const known = [now, custody].filter((one) => one !== undefined);
    const [first] = known;
    if (first === undefined) return [];
    const most = known.reduce((left, { amount }) => (amount > left ? amount : left), ZERO);
    const amount = plus(most, negated(atCutOff.get(key)?.amount ?? ZERO));
    if (amount <= ZERO) return [];
    const { vaultId, asset } = first.place;
    return known.some(({ isChange }) => isChange)
      ? [{ kind: 'change', from: vaultId, asset, amount }]
      : [{ kind: 'internal', asset, amount }];
  });
}

/** What is known of a hash when a day is closed; `books`: its lines of the books at the cut-off. */
export function wordNow(
  facts: HashFacts,
  books: readonly PositionLine[],
  record: CloseRecord,
): HashWord {
  const by = ownByOf(record);
  if (by === 'word') return { own: facts.own || books.some(isDebitLine), awaited: [] };
  const hasDebit = isDebited(books);
  const own = facts.own || (by === 'heeded' && hasDebit);
  return { own, awaited: own && hasDebit ? awaitedOf(facts, books) : [] };
}

/** The rows of a report, or of one that is being made, that tell what was known of a hash. */
export interface WordRows {
  readonly version: DailyReport['version'];
  readonly inTransit: readonly ReportInTransit[];
  readonly unconfirmed: readonly ReportUnconfirmed[];
}

/**
 * What a report was made with for a hash, by the rows that it has of it; `books`: its lines of the
 * books at that report's cut-off.
 */
export function wordOf(rows: WordRows, books: readonly PositionLine[]): HashWord {
  const isLeg = rows.inTransit.some(({ kind, leg }) => kind === 'internal' && leg !== 'debit');
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

/** Own debits of a hash that stand in the books and are not confirmed, by place. */
export function unconfirmedOf(
  { network, blockchainHash }: HashFacts,
  books: readonly PositionLine[],
  word: HashWord,
): ReportUnconfirmed[] {
  if (word.own || !isDebited(books)) return [];
  const debits = standing(books).filter(isDebitLine);
  const sums = byPlace(
    debits.map(({ vaultId, asset, amount }) => ({
      place: { vaultId, asset },
      amount,
      isChange: false,
    })),
  );
  return [...sums.values()].map(({ place: { vaultId, asset }, amount }) => ({
    vaultId,
    network,
    blockchainHash,
    asset,
    amount: amount.toString(),
  }));
}
