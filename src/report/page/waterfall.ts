import { html } from 'hono/html';
import type { ReportTotal } from '../../domain/close/report.ts';
import { CATEGORIES } from '../../domain/money/roll-forward.ts';
import { SUBTRACTED } from '../asset-totals.ts';
import { scaled } from '../figure.ts';

const WIDTH = 640;
const HEIGHT = 150;
const TOP = 18;
const BAR = 44;

interface Bar {
  readonly label: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly tone: 'level' | 'up' | 'down';
}

/** One asset over all vaults, as bars from opening to closing. */
export function barsOf(totals: readonly ReportTotal[]): Bar[] {
  const sum = (figure: keyof ReportTotal): bigint =>
    totals.reduce((total, row) => total + BigInt(row[figure] ?? 0), 0n);
  const opening = sum('opening');
  const bars: Bar[] = [{ label: 'opening', from: 0n, to: opening, tone: 'level' }];
  let level = opening;
  for (const label of CATEGORIES) {
    const moved = SUBTRACTED.has(label) ? -sum(label) : sum(label);
    if (moved === 0n) continue;
    bars.push({ label, from: level, to: level + moved, tone: moved > 0n ? 'up' : 'down' });
    level += moved;
  }
  return [...bars, { label: 'closing', from: 0n, to: level, tone: 'level' }];
}

function amountOf({ from, to, tone }: Bar, decimals: number | null): string {
  return scaled((tone === 'level' ? to : to - from).toString(), decimals);
}

/**
 * The bars as an SVG, with the same figures as text for screen readers. Integer division gives whole
 * pixels: no figure becomes a floating-point number, and the table has the exact ones.
 */
export function waterfall(totals: readonly ReportTotal[], decimals: number | null) {
  const bars = barsOf(totals);
  const steps = bars.map((bar) => `${bar.label} ${amountOf(bar, decimals)}`).join(', ');
  const ends = bars.flatMap(({ from, to }) => [from, to]);
  const top = ends.reduce((highest, end) => (end > highest ? end : highest), 0n);
  const bottom = ends.reduce((lowest, end) => (end < lowest ? end : lowest), 0n);
  const span = top === bottom ? 1n : top - bottom;
  const y = (value: bigint): number => TOP + Number(((top - value) * BigInt(HEIGHT)) / span);
  const step = Math.floor(WIDTH / bars.length);
  return html`<svg
    class="waterfall"
    viewBox="0 0 ${WIDTH} ${HEIGHT + TOP + 22}"
    role="img"
    aria-label="From the opening to the closing, over all vaults: ${steps}"
  >
    <line class="zero" x1="0" x2="${WIDTH}" y1="${y(0n)}" y2="${y(0n)}"></line>
    ${bars.map((bar, index) => {
      const { label, from, to, tone } = bar;
      const x = index * step + Math.floor((step - BAR) / 2);
      const [high, low] = from > to ? [from, to] : [to, from];
      const height = Math.max(1, y(low) - y(high));
      return html`<g class="${tone}">
        <title>${label}: ${amountOf(bar, decimals)}</title>
        <rect x="${x}" y="${y(high)}" width="${BAR}" height="${height}"></rect>
        <text x="${x + BAR / 2}" y="${HEIGHT + TOP + 16}">${label}</text>
      </g>`;
    })}
  </svg>`;
}
