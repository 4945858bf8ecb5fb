import { momentText, spanText } from './figure.ts';
import type { Markup } from '../markup.ts';

/**
 * A moment, Unix milliseconds, in UTC; the page's script writes it in the reader's zone and keeps UTC
 * in the title.
 */
export function Moment({ at }: { at: number }): Markup {
  const utc = momentText(at);
  return (
    <time datetime={new Date(at).toISOString()} title={utc} data-moment="">
      {utc}
    </time>
  );
}

/** How long ago something was: `5 min`; the moment is in the title. Both are Unix milliseconds. */
export function Age({ at, now }: { at: number; now: number }): Markup {
  return (
    <time datetime={new Date(at).toISOString()} title={momentText(at)}>
      {spanText(now - at)}
    </time>
  );
}
