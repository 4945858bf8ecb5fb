import type { Markup } from '../markup.ts';

/** The field of a reason, which the journal keeps. */
export function ReasonField({ label = 'Reason' }: { label?: string }): Markup {
  return (
    <label class="field">
      <span>{label}</span>
      <input name="reason" required autocomplete="off" />
    </label>
  );
}
