import { reversedText, shownText } from '../../domain/break/shown-text.ts';
import type { ShownBreak } from '../../store/answers.ts';

/** A break's sentence as the console shows it, its amounts in smallest units. */
export function breakText({ detail, reversal }: Pick<ShownBreak, 'detail' | 'reversal'>): string {
  return shownText(reversal === null ? detail : reversedText(detail));
}
