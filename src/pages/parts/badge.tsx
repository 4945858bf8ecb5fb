import type { Markup } from './markup.ts';

/** Colours of badges: outcomes, severities, and states of deposits. */
export type Tone =
  | 'good'
  | 'warn'
  | 'alarm'
  | 'plain'
  | 'critical'
  | 'warning'
  | 'info'
  | 'detected'
  | 'confirming'
  | 'verifying'
  | 'credited'
  | 'settled'
  | 'internal'
  | 'held'
  | 'rolled_back'
  | 'reversed';

/** A state in a word or two. */
export function Badge({ tone, text }: { tone: Tone; text: string }): Markup {
  return <span class={`badge ${tone}`}>{text.replaceAll('_', ' ')}</span>;
}
