import type { Child } from 'hono/jsx';
import { decimalText, figureClass, grouped, symbolOf } from './figure.ts';
import type { Markup } from '../markup.ts';

/** The decimals of each asset, pinned at its first sighting. */
export type Decimals = ReadonlyMap<string, number>;

/** The asset's symbol; the title says the whole id. */
function AssetName({ asset }: { asset: string }): Markup {
  return (
    <span class="asset" title={asset}>
      {symbolOf(asset)}
    </span>
  );
}

/** The digits of an amount as a page shows them; smallest units without known decimals. */
export function digitsOf(amount: bigint, fractionDigits: number | undefined): string {
  return fractionDigits === undefined
    ? grouped(amount.toString().replace('-', '−'))
    : decimalText(amount, fractionDigits);
}

/**
 * Characters of an amount that its column has room for on a tablet: `wide` in lists of six or seven
 * columns, `third` in each of three columns beside a name, `narrow` in lists of eight, or with two
 * amounts.
 */
const TABLET_CHARACTERS = { wide: 22, third: 20, narrow: 14 } as const;

/** Whether one of the amounts is too long for its column on a tablet, so that the list folds. */
export function hasLongAmount(
  amounts: readonly { readonly amount: bigint; readonly asset: string }[],
  decimals: Decimals,
  column: keyof typeof TABLET_CHARACTERS = 'wide',
): boolean {
  const charactersMax = TABLET_CHARACTERS[column];
  return amounts.some(
    ({ amount, asset }) => digitsOf(amount, decimals.get(asset)).length > charactersMax,
  );
}

/**
 * The line under a figure. The stylesheet writes “units” behind the digits, so that a person who
 * copies them gets a number. Without digits the figure itself is in smallest units.
 */
function SmallestUnits({ exact }: { exact: string | undefined }): Markup {
  if (exact === undefined) return <span class="units">smallest units</span>;
  return (
    <span class={`${figureClass('units', exact)} digits`} title="smallest units">
      {exact}
    </span>
  );
}

/**
 * An amount in the asset's own unit, with its exact smallest units below. Without known decimals it
 * shows smallest units alone and says so.
 */
export function AmountFigure(figure: {
  amount: bigint;
  asset: string;
  decimals: Decimals;
  /** Shows `+` for positive amounts, as a difference. */
  signed?: boolean;
  /** Leaves out the asset, which a column or a heading names. */
  bare?: boolean;
}): Markup {
  const { amount, asset, decimals, signed = false, bare = false } = figure;
  const fractionDigits = decimals.get(asset);
  const sign = signed && amount > 0n ? '+' : '';
  const exact = amount.toString();
  const text = digitsOf(amount, fractionDigits);
  return (
    <data class="amount" value={exact}>
      <span class={figureClass('figure', text)}>
        {sign}
        {text}
      </span>
      {!bare && (
        <>
          {' '}
          <AssetName asset={asset} />
        </>
      )}
      {fractionDigits !== 0 && (
        <SmallestUnits exact={fractionDigits === undefined ? undefined : exact} />
      )}
    </data>
  );
}

/** A figure on one line, with its exact smallest units in the title alone. */
export function LineFigure(figure: {
  /** The amount in smallest units, exactly. */
  exact: string;
  /** The figure's digits, as the page shows them. */
  text: string;
  /** The figure with signs or notes around it; without it, the text. */
  children?: Child;
}): Markup {
  const { exact, text, children = text } = figure;
  return (
    <data class={figureClass('figure', text)} value={exact} title={`${exact} in the smallest unit`}>
      {children}
    </data>
  );
}
