import type { DepositState } from '../../domain/deposit/deposit.ts';
import type { Severity } from '../../domain/break/break.ts';
import type { Markup } from './markup.ts';

/** Colours of badges: states of deposits, severities, and outcomes. */
export type Tone = DepositState | Severity | 'good' | 'warn' | 'alarm' | 'plain';

/** A state in a word or two. */
export function Badge({ tone, text }: { tone: Tone; text: string }): Markup {
  return <span class={`badge ${tone}`}>{text.replaceAll('_', ' ')}</span>;
}
