import { decimalText } from '../../../pages/parts/value/figure.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { textPieces } from '../../../domain/money/text-amounts.ts';
import { shownText } from '../../../domain/break/shown-text.ts';

/** A sentence of the journal, with its amounts in the asset's own unit. */
export function Prose(props: { text: string; asset: string | null; decimals: Decimals }): Markup {
  const { text, asset, decimals } = props;
  return (
    <>
      {textPieces(shownText(text), asset, decimals).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <data value={piece.units} title={`${piece.units} in the smallest unit`}>
            {`${decimalText(BigInt(piece.units), piece.decimals)} ${piece.symbol}`}
          </data>
        ),
      )}
    </>
  );
}
