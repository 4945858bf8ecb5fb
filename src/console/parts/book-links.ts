import type { BalanceQuery } from '../../store/queries.ts';
import type { StatementQuery } from '../../store/statement.ts';
import { linkTo } from '../../pages/parts/list/link.ts';

export const BOOKS_PATH = '/console/books';

/** A position, and the view in which it is held. */
export type Position = Omit<StatementQuery, 'from' | 'to'>;

/** The page of a hash's movements. */
export function movementsLink(blockchainHash: string): string {
  return `${BOOKS_PATH}/movements/${encodeURIComponent(blockchainHash)}`;
}

/** The members of a position's link. */
export function positionQuery(position: Position): Record<string, string | undefined> {
  const { view, vaultId, accountId, addressId, memo, asset } = position;
  return {
    view: view === 'books' ? undefined : view,
    vaultId,
    accountId: accountId ?? undefined,
    addressId: addressId ?? undefined,
    memo: memo ?? undefined,
    asset,
  };
}

/**
 * The page of a position's statement. `period`: days such as `2025-11-20`, the last one included, or
 * moments in ISO 8601, the last one excluded.
 */
export function statementLink(
  position: Position,
  period: { readonly from?: string; readonly to?: string } = {},
): string {
  return linkTo(`${BOOKS_PATH}/statement`, { ...positionQuery(position), ...period });
}

/** The page of the matching balances. `asOf`: a day or a moment. */
export function balancesLink(
  query: Partial<Omit<BalanceQuery, 'asOf'>> & { readonly asOf?: string },
): string {
  return linkTo(BOOKS_PATH, query);
}

/** The page of the matching balances at a day's cut-off, Unix milliseconds. */
export function balancesAtCutOff(
  query: Partial<Omit<BalanceQuery, 'asOf'>>,
  cutOffAt: number,
): string {
  // The cut-off is the first moment after the day.
  return balancesLink({ ...query, asOf: new Date(cutOffAt - 1).toISOString() });
}
