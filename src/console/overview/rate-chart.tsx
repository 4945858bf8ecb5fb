import { grouped, momentText } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import type { DaemonStatus } from './daemon-status.ts';

const WIDTH = 600;
const HEIGHT = 90;
/** Room above the highest minute for the line's own width. */
const TOP = 4;

type Minutes = DaemonStatus['perMinute'];

function peakOf(minutes: Minutes): Minutes[number] | undefined {
  return minutes.toSorted((left, right) => right.count - left.count)[0];
}

/** The corners of the line: the hour from left to right, its peak at the top. */
export function cornersOf(minutes: Minutes): string {
  const peak = Math.max(1, peakOf(minutes)?.count ?? 0);
  const step = WIDTH / Math.max(1, minutes.length - 1);
  return minutes
    .map(({ count }, index) => {
      const y = HEIGHT - ((HEIGHT - TOP) * count) / peak;
      return `${Math.round(index * step)},${Math.round(y)}`;
    })
    .join(' ');
}

/** Deliveries per minute of the last hour; the last minute is under way. */
export function RateChart(chart: { minutes: Minutes; countedFromMs: number }): Markup {
  const { minutes, countedFromMs } = chart;
  // Of a daemon that started within the hour: it knows no delivery of before.
  const startedMs = countedFromMs <= (minutes[0]?.at ?? 0) ? null : countedFromMs;
  const period = startedMs === null ? 'in the last hour' : 'since the daemon started, ';
  const startText = startedMs === null ? '' : momentText(startedMs);
  const peak = peakOf(minutes);
  const before = minutes.at(-2);
  const sum = minutes.reduce((total, { count }) => total + count, 0);
  const isQuiet = peak === undefined || sum === 0;
  const counted = isQuiet
    ? 'No notification'
    : `${grouped(before?.count ?? 0)} in the last whole minute, ${grouped(sum)}`;
  const most = isQuiet ? '' : `, at most ${grouped(peak.count)} in a minute`;
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Notifications per minute. ${counted} ${period}${startText}${most}.`}
      >
        <line class="base" x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
        <polyline class="rate" points={cornersOf(minutes)} />
      </svg>
      <p class="foot">
        {counted} {period}
        {startedMs !== null && <Moment at={startedMs} />}
        {most}
        {!isQuiet && (
          <>
            , at <Moment at={peak.at} />
          </>
        )}
        .
      </p>
    </>
  );
}
