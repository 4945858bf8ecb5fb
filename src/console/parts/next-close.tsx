import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';

/** When days are closed next. `at`: Unix milliseconds. */
export function NextClose({ at }: { at: number }): Markup {
  return (
    <>
      The next close is due <Moment at={at} />. It closes every day that has ended by then.
    </>
  );
}
