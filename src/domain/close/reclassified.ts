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

/** The smaller of two amounts of the same sign. */
function smaller(left: Amount, right: Amount): Amount {
  return left * left < right * right ? left : right;
}

/**
 * The amounts that moved between categories. `change`: each category's change. `before`: the closed
 * day's amounts. An amount leaves its category with the sign that it has in the balance.
 */
export function reclassifiedOf(before: Effects, change: Effects): Reclassified[] {
  const leaves = CATEGORIES.filter((category) => before[category] * change[category] < ZERO);
  const left: Part[] = leaves.map((category) => ({ category, amount: negated(change[category]) }));
  const joined: Part[] = CATEGORIES.filter((category) => !leaves.includes(category)).map(
    (category) => ({ category, amount: change[category] }),
  );
  const found: Reclassified[] = [];
  for (const from of left) {
    for (const to of joined) {
      const haveSameSign = from.amount * to.amount > ZERO;
      if (!haveSameSign) continue;
      const amount = smaller(from.amount, to.amount);
      found.push({ from: from.category, to: to.category, amount });
      from.amount = plus(from.amount, negated(amount));
      to.amount = plus(to.amount, negated(amount));
    }
  }
  return found;
}
