import { Badge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { grouped } from '../parts/figure.ts';
import { linkTo } from '../parts/link.ts';
import type { Markup } from '../parts/markup.ts';
import { Age } from '../parts/moment.tsx';
import type { Snapshot } from './snapshot.ts';

/** Open breaks by type, the type with the oldest first. */
export function BreakAges({
  snapshot,
  hasPages,
}: {
  snapshot: Snapshot;
  hasPages: boolean;
}): Markup {
  const { counts, at } = snapshot;
  const types = counts.breaks.byType
    .filter(({ open }) => open > 0)
    .toSorted((left, right) => left.oldestAt - right.oldestAt);
  const most = Math.max(1, ...types.map(({ open }) => open));
  return (
    <Card id="break-ages" title="Open breaks by age" live="breaks tick">
      {types.length === 0 ? (
        <EmptyState title="No open breaks." good />
      ) : (
        <ul class="ages">
          {types.map(({ type, severity, open, oldestAt }) => (
            <li class={severity}>
              <span>
                <Badge tone={severity} text={severity} />{' '}
                {hasPages ? (
                  <a href={linkTo('/console/breaks', { type })}>{type.replaceAll('_', ' ')}</a>
                ) : (
                  type.replaceAll('_', ' ')
                )}
              </span>
              <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  class="tone"
                  width={Math.max(2, Math.round((100 * open) / most))}
                  height="6"
                />
              </svg>
              <b>{grouped(String(open))}</b>
              <span class="muted">
                oldest <Age at={oldestAt} now={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
