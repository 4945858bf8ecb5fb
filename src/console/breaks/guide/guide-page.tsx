import { BREAK_TYPES, type BreakType } from '../../../domain/break/break.ts';
import { Card } from '../../../pages/parts/card.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { GUIDES, type Guide } from './guides.ts';
import { queueLink } from '../filter.ts';
import { typeText } from '../../parts/break-causes.ts';
import { subjectLink } from '../../parts/subject-link.ts';

/** Where a step sends a person to the deposit's own page. */
const AT_DEPOSIT = /(?<=opens |release )the deposit/;

/** A step; `deposit` is the address of the deposit's page, or null. */
function StepText({ step, deposit }: { step: string; deposit: string | null }): Markup {
  const [before, after] = step.split(AT_DEPOSIT);
  if (deposit === null || after === undefined) return <>{step}</>;
  return (
    <>
      {before}
      <a href={deposit}>the deposit</a>
      {after}
    </>
  );
}

/**
 * What a type of break means, and what to do. `steps` replace those of the type; steps link the page
 * of the deposit with `depositId`.
 */
export function GuideText(guide: {
  type: BreakType;
  steps?: Guide['steps'];
  depositId?: string | null;
}): Markup {
  const { type, steps = GUIDES[type].steps, depositId = null } = guide;
  const deposit = depositId === null ? null : subjectLink('deposit', depositId);
  const { happened, severity } = GUIDES[type];
  return (
    <>
      <p>{happened}</p>
      {severity !== undefined && <p>{severity}</p>}
      <ol class="steps">
        {steps.map((step) => (
          <li>
            <StepText {...{ step, deposit }} />
          </li>
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
