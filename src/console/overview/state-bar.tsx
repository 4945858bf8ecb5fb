import { DEPOSIT_STATES, type DepositState } from '../../domain/deposit/deposit.ts';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';

type Counts = Readonly<Partial<Record<DepositState, number>>>;

const BAR_WIDTH = 1_000;
const BAR_HEIGHT = 18;
const GAP = 3;
/** One deposit among a million must be visible. */
const WIDTH_MIN = 6;

interface Segment {
  readonly state: DepositState;
  readonly count: number;
  readonly x: number;
  readonly width: number;
}

/** The segments of the bar; shares and gaps fill it completely. */
export function segmentsOf(counts: Counts): Segment[] {
  const present = DEPOSIT_STATES.map((state) => ({ state, count: counts[state] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const total = present.reduce((sum, { count }) => sum + count, 0);
  const room = BAR_WIDTH - GAP * (present.length - 1) - WIDTH_MIN * present.length;
  let before = 0;
  return present.map(({ state, count }, index) => {
    const x = Math.round((room * before) / total) + index * (GAP + WIDTH_MIN);
    before += count;
    const end = Math.round((room * before) / total) + index * GAP + (index + 1) * WIDTH_MIN;
    return { state, count, x, width: end - x };
  });
}

/** Deposits by state: a bar of shares, and a legend with every count. */
export function StateBar({ counts }: { counts: Counts }): Markup {
  const segments = segmentsOf(counts);
  if (segments.length === 0) return <EmptyState title="No deposits yet." />;
  return (
    <>
      <svg
        class="bar"
        viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Deposits by state; the list below has the counts"
      >
        {segments.map(({ state, x, width }) => (
          <rect class={`tone ${state}`} x={x} y="0" width={width} height={BAR_HEIGHT} />
        ))}
      </svg>
      <ul class="legend">
        {segments.map(({ state, count }) => (
          <li>
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`tone ${state}`} width="10" height="10" rx="3" />
            </svg>
            <a href={linkTo('/console/deposits', { state })}>{state.replaceAll('_', ' ')}</a>
            <b>{grouped(count)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}
