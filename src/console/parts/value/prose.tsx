import { decimalText } from '../../../pages/parts/value/figure.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** A whole number, and the id of an asset behind it where the text has one. */
const NUMBER = /(?<![\w.:-])(-?\d{1,78})(?: ([a-z][\w-]*:[\w.-]*\w)|(?![\w:]|\.\d))/g;

interface Piece {
  readonly text: string;
  /** The smallest units that the text shows in the asset's own unit. */
  readonly units?: string;
}

/** What a text is about: its asset, and amounts in smallest units that stand without the asset. */
export interface About {
  readonly asset: string | null;
  readonly amounts: readonly (bigint | null)[];
}

function pieceOf(match: RegExpExecArray, about: About, decimals: Decimals): Piece | undefined {
  const [, units = '', named] = match;
  const isKnown = about.amounts.some((amount) => amount !== null && amount === BigInt(units));
  const asset = named ?? (isKnown ? about.asset : null);
  const digits = asset === null ? undefined : decimals.get(asset);
  if (asset === null || digits === undefined) return undefined;
  const symbol = asset.slice(asset.indexOf(':') + 1);
  return { text: `${decimalText(BigInt(units), digits)} ${symbol}`, units };
}

/** The text in pieces: amounts in the asset's own unit, and everything else unchanged. */
export function piecesOf(text: string, about: About, decimals: Decimals): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(NUMBER)) {
    const piece = pieceOf(match, about, decimals);
    if (piece === undefined) continue;
    pieces.push({ text: text.slice(end, match.index) }, piece);
    end = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(end) }].filter((piece) => piece.text !== '');
}

/** A sentence of the journal, with its amounts in the asset's own unit. */
export function Prose(props: { text: string; about: About; decimals: Decimals }): Markup {
  const { text, about, decimals } = props;
  return (
    <>
      {piecesOf(text, about, decimals).map((piece) =>
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
