import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { drawProfiles, flameChartOf, type CpuProfile } from './flame.ts';

function node(id: number, functionName: string, url: string, children: number[] = []) {
  return { id, callFrame: { functionName, url, lineNumber: 1, columnNumber: 4 }, children };
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

test('a function of the built program is named by the file that it was written in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flame-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Line 2 comes from the first line of the second source.
  const map = { version: 3, sources: ['../src/a.ts', '../src/store/b.ts'], mappings: 'AAAA;ACAA' };
  writeFileSync(join(folder, 'chunk.js.map'), JSON.stringify(map));
  const url = pathToFileURL(join(folder, 'chunk.js')).href;
  const profile = {
    nodes: [node(1, '(root)', '', [2]), node(2, 'commit', url)],
    samples: [2],
    timeDeltas: [50],
  };
  writeFileSync(join(folder, 'main.cpuprofile'), JSON.stringify(profile));
  const [svg = ''] = drawProfiles(folder).map((path) => readFileSync(path, 'utf8'));
  expect(svg).toContain('<title>commit store/b.ts: 100.0 %');
});
