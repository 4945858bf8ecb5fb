import { BREAK_TYPES, type BreakType } from '../../../domain/break/break.ts';
import { Card } from '../../../pages/parts/card.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { GUIDES, type Guide } from './guides.ts';
import { queueLink } from '../filter.ts';
import { typeText } from '../../parts/break-causes.ts';

/** What a type of break means, and what to do; `steps` replace those of the type. */
export function GuideText(guide: { type: BreakType; steps?: Guide['steps'] }): Markup {
  const { type, steps = GUIDES[type].steps } = guide;
  const { happened, severity } = GUIDES[type];
  return (
    <>
      <p>{happened}</p>
      {severity !== undefined && <p>{severity}</p>}
      <ol class="steps">
        {steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </>
  );
}

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
          <GuideText type={type} />
        </Card>
      ))}
    </>
  );
}
