/** A whole number, and the id of an asset behind it where the text has one. */
const NUMBER = /(?<![\w.:-])(-?\d{1,78})(?: ([a-z][\w-]*:[\w.-]*\w)|(?![\w:]|\.\d))/g;

/** Words of the journal's sentences before an amount that stands without its asset. */
const BEFORE_AMOUNT =
  /(?:\b(?:say|says|said|moved|where|expected|actual|difference|categories move|day's entries|of which)|→) $/;

/** Words behind an amount without its asset. */
const AFTER_AMOUNT = /^ apart from /;

/** The asset of a report's exception, which stands before its amounts: `vault-1 ethereum:ETH: …`. */
const LEADING_ASSET = /^.{0,200}? ([a-z][\w-]*:[\w.-]*\w): /;

/** Decimals by asset; null or absent where nobody knows them. */
type DecimalsByAsset = ReadonlyMap<string, number | null>;

/** An amount that a sentence names in smallest units. */
export interface TextAmount {
  readonly units: string;
  readonly decimals: number;
  /** `ETH` of `ethereum:ETH`. */
  readonly symbol: string;
}

/** A part of a sentence as it stands, or an amount of it whose decimals are known. */
export type TextPiece = string | TextAmount;

/**
 * A sentence of the journal in pieces, so that pages can show its amounts in the asset's own unit.
 * `asset`: the one that the sentence is about, where the text does not name it. A sentence names its
 * asset once, so a later amount is of the asset named last.
 */
export function textPieces(
  text: string,
  asset: string | null,
  decimals: DecimalsByAsset,
): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  let current = asset ?? LEADING_ASSET.exec(text)?.[1] ?? null;
  for (const match of text.matchAll(NUMBER)) {
    const [whole, units = '', named] = match;
    current = named ?? current;
    const behind = match.index + whole.length;
    const isAmount =
      named !== undefined ||
      BEFORE_AMOUNT.test(text.slice(end, match.index)) ||
      AFTER_AMOUNT.test(text.slice(behind));
    if (!isAmount || current === null) continue;
    const digits = decimals.get(current) ?? null;
    if (digits === null) continue;
    const symbol = current.slice(current.indexOf(':') + 1);
    pieces.push(text.slice(end, match.index), { units, decimals: digits, symbol });
    end = behind;
  }
  return [...pieces, text.slice(end)];
}
