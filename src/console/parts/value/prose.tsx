import { decimalText, symbolOf } from '../../../pages/parts/value/figure.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { shownText } from '../../../domain/break/shown-text.ts';

/** A whole number, and the id of an asset behind it where the text has one. */
const NUMBER = /(?<![\w.:-])(-?\d{1,78})(?: ([a-z][\w-]*:[\w.-]*\w)|(?![\w:]|\.\d))/g;

/** Words of the journal's sentences before an amount that stands without its asset. */
const BEFORE_AMOUNT = /(?:\b(?:say|says|said|moved|where|expected|actual|difference)|→) $/;

interface Piece {
  readonly text: string;
  /** The smallest units that the text shows in the asset's own unit. */
  readonly units?: string;
}

function pieceOf(units: string, asset: string | null, decimals: Decimals): Piece | undefined {
  const digits = asset === null ? undefined : decimals.get(asset);
  if (asset === null || digits === undefined) return undefined;
  return { text: `${decimalText(BigInt(units), digits)} ${symbolOf(asset)}`, units };
}

/**
 * The text in pieces: amounts in the asset's own unit, and everything else unchanged. `asset`: the
 * one that the text is about, where the text does not name it. A sentence names its asset once, so
 * a later amount is of the asset named last.
 */
export function piecesOf(text: string, asset: string | null, decimals: Decimals): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let current = asset;
  for (const match of text.matchAll(NUMBER)) {
    const [, units = '', named] = match;
    current = named ?? current;
    const isAmount = named !== undefined || BEFORE_AMOUNT.test(text.slice(end, match.index));
    const piece = isAmount ? pieceOf(units, current, decimals) : undefined;
    if (piece === undefined) continue;
    pieces.push({ text: text.slice(end, match.index) }, piece);
    end = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(end) }].filter((piece) => piece.text !== '');
}

/** A sentence of the journal, with its amounts in the asset's own unit. */
export function Prose(props: { text: string; asset: string | null; decimals: Decimals }): Markup {
  const { text, asset, decimals } = props;
  return (
    <>
      {piecesOf(shownText(text), asset, decimals).map((piece) =>
        piece.units === undefined ? (
          piece.text
        ) : (
          <data value={piece.units} title={`${piece.units} in the smallest unit`}>
            {piece.text}
          </data>
        ),
      )}
    </>
  );
}
