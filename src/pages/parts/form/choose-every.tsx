import type { Markup } from '../markup.ts';

/** A box that ticks every box of its form, and the number of ticked ones. It needs scripts. */
export function ChooseEvery(): Markup {
  return (
    <div class="every">
      <label>
        <input type="checkbox" data-every="" autocomplete="off" /> Choose every row
      </label>
      <output class="muted" data-chosen="" />
    </div>
  );
}
