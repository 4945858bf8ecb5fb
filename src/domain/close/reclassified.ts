import { negated, plus, ZERO, type Amount } from '../money/amount.ts';
import { CATEGORIES, type Category, type Effects } from '../money/roll-forward.ts';

/** An amount that a closed day counted in one category and that now counts in another. */
export interface Reclassified {
  readonly from: Category;
  readonly to: Category;
  /** Signed as it moves the vault's balance: negative for a debit. */
  readonly amount: Amount;
}

interface Part {
  readonly category: Category;
  amount: Amount;
}

function isOpposite(left: Amount, right: Amount): boolean {
  return (left < ZERO && right > ZERO) || (left > ZERO && right < ZERO);
}

function smaller(left: Amount, right: Amount): Amount {
  const isSmaller = left < ZERO ? left > right : left < right;
  return isSmaller ? left : right;
}

/**
 * The amounts that moved between categories. `change`: each category's change. `before`: the closed
 * day's amounts. An amount leaves its category with the sign that it has in the balance.
 */
export function reclassifiedOf(before: Effects, change: Effects): Reclassified[] {
  const changed = CATEGORIES.filter((category) => change[category] !== ZERO);
  const leaves = changed.filter((category) => isOpposite(before[category], change[category]));
  const left: Part[] = leaves.map((category) => ({ category, amount: negated(change[category]) }));
  const joined: Part[] = changed
    .filter((category) => !leaves.includes(category))
    .map((category) => ({ category, amount: change[category] }));
  const found: Reclassified[] = [];
  for (const from of left) {
    for (const to of joined) {
      if (from.amount === ZERO || to.amount === ZERO || isOpposite(from.amount, to.amount))
        continue;
      const amount = smaller(from.amount, to.amount);
      found.push({ from: from.category, to: to.category, amount });
      from.amount = plus(from.amount, negated(amount));
      to.amount = plus(to.amount, negated(amount));
    }
  }
  return found;
}
