import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age } from '../../pages/parts/value/moment.tsx';
import { AGE_SPAN_TEXTS } from '../parts/value/age-span-text.ts';
import type { Snapshot } from './snapshot.ts';

const PATH = '/console/breaks';

/** A bar of a share of the most frequent row; the number beside it says the same. */
function ShareBar({ count, most }: { count: number; most: number }): Markup {
  return (
    <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="tone" width={Math.max(2, Math.round((100 * count) / most))} height="6" />
    </svg>
  );
}

function Spans({ ages }: { ages: Snapshot['breakAges'] }): Markup {
  const most = Math.max(1, ...ages.map(({ count }) => count));
  return (
    <ul class="ages" aria-label="By age">
      {ages.map(({ span, count }) => (
        <li class="plain">
          <a href={linkTo(PATH, { age: span })}>{AGE_SPAN_TEXTS[span]}</a>
          <ShareBar count={count} most={most} />
          <b>{grouped(count)}</b>
        </li>
      ))}
    </ul>
  );
}

type Types = Snapshot['counts']['breaks']['byType'];

function ByType({ types, now }: { types: Types; now: number }): Markup {
  const most = Math.max(1, ...types.map(({ open }) => open));
  return (
    <ul class="ages" aria-label="By type">
      {types.map(({ type, severity, open, oldestAt }) => (
        <li class={severity}>
          <span>
            <Badge tone={severity} text={severity} />{' '}
            <a href={linkTo(PATH, { type })}>{type.replaceAll('_', ' ')}</a>
          </span>
          <ShareBar count={open} most={most} />
          <b>{grouped(open)}</b>
          <span class="muted">
            oldest <Age at={oldestAt} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Open breaks by age, then by type, the type with the oldest first. */
export function BreakAges({ snapshot }: { snapshot: Snapshot }): Markup {
  const { counts, breakAges, at } = snapshot;
  const types = counts.breaks.byType
    .filter(({ open }) => open > 0)
    .toSorted((left, right) => left.oldestAt - right.oldestAt);
  return (
    <Card id="break-ages" title="Open breaks by age" live="breaks tick">
      {types.length === 0 ? (
        <EmptyState title="No open breaks." good />
      ) : (
        <>
          <Spans ages={breakAges} />
          <h3>By type</h3>
          <ByType types={types} now={at} />
        </>
      )}
    </Card>
  );
}
