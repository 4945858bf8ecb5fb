import type { CoreControl } from '../core-client.ts';
import type { ProductApi } from '../product-api.ts';

/** One asset's sum in the books and in the core, in smallest units. */
export interface AssetTieOut {
  readonly asset: string;
  readonly books: string;
  readonly custody: string;
  readonly difference: string;
}

export interface TieOut {
  readonly balanced: boolean;
  readonly assets: readonly AssetTieOut[];
}

interface BalanceRow {
  readonly asset: string;
  readonly amount: string;
}

const PAGE_SIZE = 1000;

function sums(rows: readonly BalanceRow[]): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { asset, amount } of rows) {
    totals.set(asset, (totals.get(asset) ?? 0n) + BigInt(amount));
  }
  return totals;
}

async function bookRows(api: ProductApi): Promise<BalanceRow[]> {
  const rows: BalanceRow[] = [];
  for (let page = 0; ; page += 1) {
    const list = await api.get<{ data: BalanceRow[]; pagination: { total: number } }>(
      `/v1/balances?view=books&page=${page}&pageSize=${PAGE_SIZE}`,
    );
    rows.push(...list.data);
    if (rows.length >= list.pagination.total || list.data.length === 0) return rows;
  }
}

/** Compares the books with the core's truth, asset by asset. */
export async function tieOut(api: ProductApi, control: CoreControl): Promise<TieOut> {
  const truth = (await control.get('/sim/truth/balances')) as { data: BalanceRow[] };
  const custody = sums(truth.data);
  const books = sums(await bookRows(api));
  const assets = [...new Set([...custody.keys(), ...books.keys()])].sort().map((asset) => {
    const ours = books.get(asset) ?? 0n;
    const theirs = custody.get(asset) ?? 0n;
    return {
      asset,
      books: ours.toString(),
      custody: theirs.toString(),
      difference: (ours - theirs).toString(),
    };
  });
  return { balanced: assets.every((one) => one.difference === '0'), assets };
}
