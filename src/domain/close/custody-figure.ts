import { negated, plus, ZERO, type Amount } from '../amount.ts';
import type { CloseRecord } from '../close-record.ts';
import type { ReportAfterCutOff } from '../close-report.ts';
import { placeKey, standing, type Place, type PositionLine } from '../roll-forward.ts';
import type { HashFacts, MovedAfter } from './hash-facts.ts';

type Part = Place & { readonly amount: Amount };

/** Custody's side of a hash when a day is closed. */
export interface CustodySide {
  /** What it held at the cut-off. */
  readonly atCutOff: readonly Part[];
  /** What it moved between the cut-off and the reading. */
  readonly after: readonly MovedAfter[];
}

function sumAt(parts: readonly Part[], place: Place): Amount {
  const key = placeKey(place);
  return parts
    .filter((part) => placeKey(part) === key)
    .reduce((sum, { amount }) => plus(sum, amount), ZERO);
}

function isBurned({ cause }: PositionLine): boolean {
  return cause === 'failed-fee';
}

/** Fees that failed transactions burned, as they stand in some lines of the books. */
export function burnedFees(lines: readonly PositionLine[]): Part[] {
  if (!lines.some(isBurned)) return [];
  return standing(lines).filter(isBurned);
}

/**
 * Custody's side of a hash at the cut-off. Its list lists no amounts of a failed transaction, so the
 * fee that one burned counts as the chain tells it. What moved after the cut-off is taken off, but
 * not where the books held it by then: it cannot have come later.
 */
export function custodySide(facts: HashFacts, record: CloseRecord): CustodySide {
  if (record.rules === undefined) return { atCutOff: facts.custody, after: [] };
  const isPlain = facts.after.length === 0 && !facts.lines.some(isBurned);
  // Nearly every hash ends here.
  if (isPlain) return { atCutOff: facts.custody, after: [] };
  const cut = facts.lines.filter(({ seq }) => seq <= record.throughSeq);
  const read = [...facts.custody, ...burnedFees(cut)];
  const books = cut.filter(({ view }) => view === 'books');
  const after = facts.after.filter((part) => sumAt(books, part) !== sumAt(read, part));
  const takenOff = after.map((part) => ({ ...part, amount: negated(part.amount) }));
  return { atCutOff: [...read, ...takenOff], after };
}

export function afterCutOffRows(
  { network, blockchainHash }: HashFacts,
  after: readonly MovedAfter[],
): ReportAfterCutOff[] {
  return after.map(({ vaultId, transactionId, asset, amount, at, datedBy }) => ({
    vaultId,
    network,
    blockchainHash,
    transactionId,
    asset,
    amount: amount.toString(),
    at: new Date(at).toISOString(),
    datedBy,
  }));
}

/** Sums of amounts by place. */
export class PlaceSums extends Map<string, Amount> {
  move({ amount, ...place }: Part, sign: 1n | -1n): void {
    const key = placeKey(place);
    this.set(key, plus(this.get(key) ?? ZERO, sign === 1n ? amount : negated(amount)));
  }
}
