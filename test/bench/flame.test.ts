import { expect, test } from 'vitest';
import { flameChartOf, type CpuProfile } from './flame.ts';

function node(id: number, functionName: string, url: string, children: number[] = []) {
  return { id, callFrame: { functionName, url }, children };
}

/** 100 µs at work: 75 in `commit`, of these 25 in `run`, which two places call; 300 idle. */
const PROFILE: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 6]),
    node(2, 'commit', 'file:///a/dist/store/ledger.js', [4, 5]),
    node(3, '(garbage collector)', ''),
    node(4, 'run', 'file:///a/node_modules/b/<b>.js'),
    node(5, 'run', 'file:///a/node_modules/b/<b>.js'),
    node(6, '(idle)', ''),
  ],
  samples: [2, 4, 5, 3, 6],
  timeDeltas: [50, 15, 10, 25, 300],
};

function widthOf(svg: string, title: string): number {
  const group = svg.split('<g>').find((part) => part.startsWith(`<title>${title}:`));
  return Math.round(Number(/ width="([0-9.]+)"/.exec(group ?? '')?.[1]));
}

test('a flame chart is as wide as time at work, and what was called alike is one box', () => {
  const svg = flameChartOf(PROFILE, 'writer');
  expect(svg).toContain('writer, 0.0 s at work');
  const all = widthOf(svg, 'all');
  expect(widthOf(svg, 'commit store/ledger.js')).toBe(Math.round(all * 0.75));
  expect(widthOf(svg, 'run b/&lt;b&gt;.js')).toBe(Math.round(all * 0.25));
  expect(widthOf(svg, '(garbage collector)')).toBe(Math.round(all * 0.25));
  expect(svg).not.toContain('(idle)');
  expect(svg.split('<title>')).toHaveLength(5);
});

test('a profile of nothing is a chart of nothing', () => {
  const svg = flameChartOf({ nodes: [node(1, '(root)', '')], samples: [], timeDeltas: [] }, 'a');
  expect(svg).toContain('a, 0.0 s at work');
});
