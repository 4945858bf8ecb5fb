import { sealedText } from '../domain/break/shown-text.ts';
import type { DailyReport } from '../domain/close/report.ts';
import { textPieces } from '../domain/money/text-amounts.ts';
import { decimalsByAsset } from './asset-totals.ts';
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

/** A sealed sentence as people read it, with its amounts in the asset's own unit. */
export type ShownSentence = (text: string, asset: string | null) => string;

/** How the sentences of a report are shown. */
export function sentencesOf(report: DailyReport): ShownSentence {
  const decimals = decimalsByAsset(report);
  return (text, asset) => sentenceText(sealedText(text), asset, decimals);
}
