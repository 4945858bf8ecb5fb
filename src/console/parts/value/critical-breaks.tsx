import type { ReportBreak } from '../../../domain/close/report.ts';
import { Badge } from '../../../pages/parts/badge.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { criticalText } from '../../../report/critical-breaks.ts';
import type { Reads } from '../../../store/reads.ts';

/** Critical breaks of a closed day: what its report says, and how many are resolved since. */
export interface CriticalBreaks {
  /** `1 critical break at the cut-off` */
  readonly text: string;
  readonly count: number;
  readonly resolved: number;
}

/** Reads what has become of a report's critical breaks; null without one. */
export async function readCriticalBreaks(
  reads: Pick<Reads, 'breaks'>,
  openBreaks: readonly Pick<ReportBreak, 'breakId' | 'severity'>[],
): Promise<CriticalBreaks | null> {
  const text = criticalText({ openBreaks });
  if (text === null) return null;
  const breakIds = openBreaks
    .filter(({ severity }) => severity === 'critical')
    .map(({ breakId }) => breakId);
  const left = await reads.breaks({ breakIds, state: 'unresolved' }, { page: 0, pageSize: 1 });
  return { text, count: breakIds.length, resolved: breakIds.length - left.total };
}

/** Critical breaks that were open at the cut-off, beside a status that speaks of figures alone. */
export function CriticalBadge(shown: { critical: CriticalBreaks; href?: string }): Markup {
  const { text, count, resolved } = shown.critical;
  const badge = <Badge tone={resolved === count ? 'plain' : 'alarm'} text={text} />;
  const since =
    resolved === count
      ? '(resolved since)'
      : `(${grouped(resolved)} of ${grouped(count)} resolved since)`;
  return (
    <>
      {shown.href === undefined ? badge : <a href={shown.href}>{badge}</a>}
      {resolved > 0 && <span class="muted"> {since}</span>}{' '}
    </>
  );
}
