import type { FilterProblem } from '../list/filter-problem.ts';
import { Amount } from '../../../domain/money/amount.ts';
import type { AssetAmount } from '../../../store/queries.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { symbolOf, unitsOf } from '../../../pages/parts/value/figure.ts';

/** Assets whose amounts one search compares. */
const ASSETS_MAX = 500;

/** Digits, and the asset that they are of: `1.5`, `1.5 ETH`, `1.5ETH`, `1.5 ethereum:ETH`. */
const AMOUNT = /^(\d{1,78}(?:\.\d{1,78})?)(?:\s+(\S+)|([A-Za-z]{2,12}))?$/;
/** The same with the asset first: `ETH 1.5`. */
const ASSET_FIRST = /^([A-Za-z]\S*)\s+(\d\S*)$/;

/** Separators of thousands, as people write them and as pages show them. */
const SEPARATORS = /(?<=\d)[,\u0020\u00A0\u202F](?=\d{3}(?:\D|$))/g;

/** The digits of an amount and the name of its asset; undefined for another text. */
function partsOf(text: string): { digits: string; name: string | undefined } | undefined {
  const plain = text.replaceAll(SEPARATORS, '').replace(ASSET_FIRST, '$2 $1');
  const [, digits, apart, joined] = AMOUNT.exec(plain) ?? [];
  return digits === undefined ? undefined : { digits, name: apart ?? joined };
}

/** Whether a text names an asset: its id, or its symbol in any case. */
function isNamed(asset: string, name: string): boolean {
  return asset === name || symbolOf(asset).toLowerCase() === name.toLowerCase();
}

/** The amount in the asset's own unit, and a whole number in its smallest units too. */
function unitsIn(digits: string, decimals: number): bigint[] {
  const inUnit = unitsOf(digits, decimals);
  const inSmallest = unitsOf(digits, 0);
  return [inUnit, inSmallest].filter((units) => units !== undefined);
}

/**
 * What a text such as `1.5 ETH`, `1,500` or `25000000 ripple:XRP` may mean: an amount of each asset
 * that it names, or of any asset when it names none. With `asset`, an amount of this asset alone: in
 * smallest units while its decimals are not known. Empty for a text that is no amount.
 */
export function amountsIn(
  text: string,
  { decimals, asset }: { readonly decimals: Decimals; readonly asset?: string | undefined },
): readonly AssetAmount[] {
  const parts = partsOf(text);
  if (parts === undefined) return [];
  const { digits, name } = parts;
  const known = asset === undefined ? decimals : new Map([[asset, decimals.get(asset) ?? 0]]);
  const assets = [...known].filter(([one]) => name === undefined || isNamed(one, name));
  return assets
    .slice(0, ASSETS_MAX)
    .flatMap(([one, digitsAfterPoint]) =>
      unitsIn(digits, digitsAfterPoint).map((units) => ({ asset: one, amount: Amount(units) })),
    );
}

/** The problem of a filter's text that is no amount; null for an amount, and for no text. */
export function notAnAmount(text: string | undefined): FilterProblem | null {
  if (text === undefined || partsOf(text) !== undefined) return null;
  return {
    title: `“${text}” is not an amount`,
    detail: 'Write digits and a point, and the asset if you know it: 1.5 ETH.',
  };
}
