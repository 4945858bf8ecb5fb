import type { Row } from './summary.ts';

const WIDTH = 760;
const NAME_WIDTH = 130;
const FIGURE_WIDTH = 200;
const BAR_HEIGHT = 18;
const LINE_HEIGHT = 24;
const PANEL_HEAD = 34;
const MARGIN = 16;

/** Receivers that keep nothing answer at another scale; a bar of theirs is cut, and says so. */
const KEEPS_NOTHING: readonly string[] = ['node-http', 'hono', 'hono-json'];

const COLOURS = { own: '#1f6f54', other: '#8a94a6', nothing: '#d5dae2' } as const;

function colourOf({ contender }: Row): string {
  if (contender === 'counterfoil') return COLOURS.own;
  return KEEPS_NOTHING.includes(contender) ? COLOURS.nothing : COLOURS.other;
}

function text(x: number, y: number, more: string, content: string): string {
  return `<text x="${x}" y="${y}" ${more}>${content}</text>`;
}

function bar(row: Row, at: { y: number; most: number }): string {
  const room = WIDTH - NAME_WIDTH - FIGURE_WIDTH - 2 * MARGIN;
  const share = Math.min(1, row.requestsPerSecond / at.most);
  const width = Math.max(1, Math.round(share * room));
  const from = MARGIN + NAME_WIDTH;
  const middle = at.y + BAR_HEIGHT - 5;
  const cut = row.requestsPerSecond > at.most ? '→ ' : '';
  const rate = Math.round(row.requestsPerSecond).toLocaleString('en');
  const figures = `${cut}${rate}/s, p99 ${row.p99Ms.toFixed(row.p99Ms < 10 ? 1 : 0)} ms`;
  const name = row.stored === 0 ? row.contender : `${row.contender} (${row.stored / 1e6} M)`;
  return [
    text(from - 8, middle, 'text-anchor="end"', name),
    `<rect x="${from}" y="${at.y}" width="${width}" height="${BAR_HEIGHT}" rx="2" fill="${colourOf(row)}"/>`,
    text(from + width + 8, middle, 'class="figure"', figures),
  ].join('');
}

/**
 * Notifications per second of every row as bars, a panel for each number of connections. The scale
 * is that of receivers which keep what they acknowledge; longer bars are cut and marked.
 */
export function chartOf(rows: readonly Row[]): string {
  const keeping = rows.filter(({ contender }) => !KEEPS_NOTHING.includes(contender));
  const scaled = keeping.length === 0 ? rows : keeping;
  const most = Math.max(1, ...scaled.map((row) => row.requestsPerSecond));
  const parts: string[] = [];
  let y = MARGIN;
  for (const connections of new Set(rows.map((row) => row.connections))) {
    const title = `Notifications per second, ${connections} connections`;
    parts.push(text(MARGIN, y + 18, 'class="title"', title));
    y += PANEL_HEAD;
    for (const row of rows.filter((one) => one.connections === connections)) {
      parts.push(bar(row, { y, most }));
      y += LINE_HEIGHT;
    }
    y += MARGIN;
  }
  const style =
    'text{font:13px system-ui,sans-serif;fill:#1b2430}.title{font-weight:600;font-size:14px}.figure{fill:#4a5568}';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="Notifications per second of each server">`,
    `<style>${style}</style>`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
