import type { Markup } from '../parts/markup.ts';

/** A ticket with a torn counterfoil. */
function Mark(): Markup {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path
        class="ticket"
        d="M4 7h24a2 2 0 0 1 2 2v4a3 3 0 0 0 0 6v4a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-4a3 3 0 0 0 0-6V9a2 2 0 0 1 2-2z"
      />
      <path class="tear" d="M12 8v16" />
      <path class="tick" d="m17 16.5 2.5 2.5 5-5.5" />
    </svg>
  );
}

/** The mark with the program's name. */
export function Wordmark({ name }: { name: string }): Markup {
  return (
    <span class="wordmark">
      <Mark />
      {name}
    </span>
  );
}
