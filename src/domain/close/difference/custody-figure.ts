import { negated, plus, ZERO, type Amount } from '../../money/amount.ts';
import type { CloseRecord } from '../record.ts';
import type { ReportAfterCutOff } from '../report.ts';
import {
  vaultAssetKey,
  unreversed,
  type VaultAsset,
  type PositionLine,
} from '../../money/roll-forward.ts';
import type { HashFacts, MovedAfter } from '../hash-facts.ts';

type Part = VaultAsset & { readonly amount: Amount };

/** The custody API's side of a hash when a day is closed. */
export interface CustodySide {
  /** Its amounts at the cut-off. */
  readonly atCutOff: readonly Part[];
  /** Its amounts between the cut-off and the reading. */
  readonly after: readonly MovedAfter[];
}

function sumAt(parts: readonly Part[], vaultAsset: VaultAsset): Amount {
  const key = vaultAssetKey(vaultAsset);
  return parts
    .filter((part) => vaultAssetKey(part) === key)
    .reduce((sum, { amount }) => plus(sum, amount), ZERO);
}

function isBurned({ cause }: PositionLine): boolean {
  return cause === 'failed-fee';
}

/** Fees that failed transactions burned, from active lines of the books. */
export function burnedFees(lines: readonly PositionLine[]): Part[] {
  // Most hashes return here.
  if (!lines.some(isBurned)) return [];
  return unreversed(lines).filter(isBurned);
}

/**
 * The custody API's side of a hash at the cut-off. The API lists no amounts of a failed
 * transaction, so its burned fee counts as the chain shows it. Later movements are subtracted,
 * unless the books held them by the cut-off: those cannot have come later.
 */
export function custodySide(facts: HashFacts, record: CloseRecord): CustodySide {
  if (record.rules === undefined) return { atCutOff: facts.custody, after: [] };
  const cut = facts.lines.filter(({ seq }) => seq <= record.throughSeq);
  const read = [...facts.custody, ...burnedFees(cut)];
  const books = cut.filter(({ view }) => view === 'books');
  const after = facts.after.filter((part) => sumAt(books, part) !== sumAt(read, part));
  const takenOff = after.map((part) => ({ ...part, amount: negated(part.amount) }));
  return { atCutOff: [...read, ...takenOff], after };
}

/** The report's rows of a hash for movements after the cut-off. */
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

/** Sums of amounts by `vaultAssetKey`. */
export class VaultAssetSums extends Map<string, Amount> {
  move({ amount, ...vaultAsset }: Part, sign: 1n | -1n): void {
    const key = vaultAssetKey(vaultAsset);
    this.set(key, plus(this.get(key) ?? ZERO, sign === 1n ? amount : negated(amount)));
  }
}
