import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { decimalText, symbolOf } from '../../../pages/parts/value/figure.ts';

/** What the amounts of a rule are written in: the asset's own unit, or smallest units. */
export type AmountUnit = 'own' | 'smallest';

/** An amount as a person wrote it, and the asset that it is of; null for several assets. */
interface Written {
  readonly text: string;
  readonly unit: AmountUnit;
  readonly asset: string | null;
}

/** Smallest units as text, or what is wrong and how to write it. */
export type ReadAmount = { readonly units: string } | { readonly problem: string };

const IN_UNIT = /^(\d{1,78})(?:\.(\d{1,78}))?$/;
/** Thin spaces between thousands, as pages show them. */
const GROUPS = /(?<=\d)[\u0020\u00A0\u202F](?=\d{3}(?:\D|$))/g;

/** The digits of `0.05 ETH`: the asset may stand behind them. */
function digitsIn(text: string, asset: string): string {
  const [, digits = text, name = ''] = /^(\S+)\s+(\S+)$/.exec(text) ?? [];
  const isNamed = name === asset || name.toLowerCase() === symbolOf(asset).toLowerCase();
  return isNamed ? digits : text;
}

function inOwnUnit(text: string, asset: string, decimals: number): ReadAmount {
  const digits = digitsIn(text.replaceAll(GROUPS, ''), asset);
  const [, whole = '', fraction = ''] = IN_UNIT.exec(digits) ?? [];
  if (whole === '') {
    return { problem: `write digits and a point, such as 0.05 ${symbolOf(asset)}.` };
  }
  if (fraction.length > decimals) {
    return {
      problem: `${asset} has ${decimals} decimals, and ${digits} has ${fraction.length} after the point.`,
    };
  }
  return { units: BigInt(whole + fraction.padEnd(decimals, '0')).toString() };
}

/** The problem of an amount that is no whole number of smallest units. */
export function notSmallestUnits(asset: string | null, decimals: Decimals): string {
  const count = asset === null ? undefined : decimals.get(asset);
  const example =
    asset === null || count === undefined
      ? ''
      : ` 1 ${symbolOf(asset)} is ${10n ** BigInt(count)} smallest units.`;
  return `write smallest units, digits only.${example}`;
}

/** Reads an amount exactly: moves the decimal point in its digits, and rounds nothing. */
export function readAmount({ text, unit, asset }: Written, decimals: Decimals): ReadAmount {
  if (unit === 'smallest' || asset === null) {
    return /^\d+$/.test(text) ? { units: text } : { problem: notSmallestUnits(asset, decimals) };
  }
  const count = decimals.get(asset);
  if (count !== undefined) return inOwnUnit(text, asset, count);
  return {
    problem: `the decimals of ${asset} are not known before its first deposit: choose smallest units.`,
  };
}

/** A stored amount as the text of its field, in the asset's own unit. */
export function inUnit(units: string, decimals: number): string {
  return decimalText(BigInt(units), decimals).replaceAll('\u202F', '');
}
