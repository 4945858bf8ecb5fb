import { html } from 'hono/html';
import type { DepositState } from '../../domain/deposit/deposit.ts';
import { grouped } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';

/** States in the order in which a deposit passes them; exits last. */
const STATES = [
  ['detected', 'detected'],
  ['confirming', 'confirming'],
  ['verifying', 'verifying'],
  ['credited', 'credited'],
  ['settled', 'settled'],
  ['internal', 'internal'],
  ['held', 'held'],
  ['rolled_back', 'rolled back'],
  ['reversed', 'reversed'],
] as const satisfies readonly (readonly [DepositState, string])[];

const NAMES = new Map<DepositState, string>(STATES);

/** A state's name for people. */
export function stateName(state: DepositState): string {
  return NAMES.get(state) ?? state;
}

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
export function segmentsOf(counts: Readonly<Partial<Record<DepositState, number>>>): Segment[] {
  const present = STATES.map(([state]) => ({ state, count: counts[state] ?? 0 })).filter(
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
export function stateBar(counts: Readonly<Partial<Record<DepositState, number>>>): Markup {
  const segments = segmentsOf(counts);
  if (segments.length === 0) return html`<p class="empty">No deposits yet.</p>`;
  return html`<svg
      class="bar"
      viewBox="0 0 ${BAR_WIDTH} ${BAR_HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Deposits by state"
    >
      ${segments.map(
        ({ state, count, x, width }) =>
          html`<rect class="tone ${state}" x="${x}" y="0" width="${width}" height="${BAR_HEIGHT}">
            <title>${stateName(state)}: ${grouped(String(count))}</title>
          </rect>`,
      )}
    </svg>
    <ul class="legend">
      ${segments.map(
        ({ state, count }) =>
          html`<li>
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class="tone ${state}" width="10" height="10" rx="3"></rect>
            </svg>
            <span>${stateName(state)}</span><b>${grouped(String(count))}</b>
          </li>`,
      )}
    </ul>`;
}
