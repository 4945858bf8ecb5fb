import { textPieces } from '../domain/money/text-amounts.ts';
import { concise } from './figure.ts';

/** A sentence with its amounts in the asset's own unit. `asset`: the one that it is about. */
export function sentenceText(
  text: string,
  asset: string | null,
  decimals: ReadonlyMap<string, number | null>,
): string {
  return textPieces(text, asset, decimals)
    .map((piece) =>
      typeof piece === 'string' ? piece : `${concise(piece.units, piece.decimals)} ${piece.symbol}`,
    )
    .join('');
}
