import { BREAK_TYPES } from '../../../domain/break/break.ts';
import { Card } from '../../../pages/parts/card.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { GUIDES } from './guides.ts';
import { queueLink } from '../filter.ts';
import { typeText } from '../../parts/break-causes.ts';

/** What every type of break means, and what to do. */
export function GuidePage(): Markup {
  return (
    <>
      <p>
        The documentation says more, with the calls of the API:{' '}
        <code>docs/how-to/handle-each-break.md</code>.
      </p>
      {BREAK_TYPES.map((type) => (
        <Card id={type} title={typeText(type)} aside={<a href={queueLink({ type })}>Open ones</a>}>
          <p>{GUIDES[type].happened}</p>
          {GUIDES[type].severity === undefined ? '' : <p>{GUIDES[type].severity}</p>}
          <ol class="steps">
            {GUIDES[type].steps.map((step) => (
              <li>{step}</li>
            ))}
          </ol>
        </Card>
      ))}
    </>
  );
}
