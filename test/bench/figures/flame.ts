import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltFrom, type CodeLocation } from './built-from.ts';

/** What `node --cpu-prof` writes, as far as it is drawn. Times are microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of the nodes on top of the stack, and how long each was since the one before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CodeLocation & { readonly functionName: string };
  readonly children?: readonly number[];
}

/** A function as it was called from those above it; what was called alike is one. */
interface Frame {
  readonly name: string;
  readonly origin: Origin;
  micros: number;
  readonly callees: Map<string, Frame>;
}

type Origin = 'own' | 'package' | 'node' | 'engine';

const COLOURS: Record<Origin, string> = {
  own: '#7fb8a4',
  package: '#e3b77b',
  node: '#9db4d6',
  engine: '#d5dae2',
};
const LEGEND = 'Counterfoil (green), packages (ochre), Node (blue), engine and native code (grey)';

const WIDTH = 1_200;
const ROW_HEIGHT = 18;
const HEAD = 44;
const MARGIN = 12;
/** What is narrower cannot be seen, and would make up most of the file. */
const WIDTH_MIN = 2;
const LETTER_WIDTH = 6.6;

/** Time in which nothing was done. */
const IDLE = new Set(['(idle)', '(root)']);

function originOf({ functionName, url }: ProfileNode['callFrame']): Origin {
  if (url.startsWith('node:')) return 'node';
  if (url.includes('/node_modules/')) return 'package';
  return url === '' || functionName.startsWith('(') ? 'engine' : 'own';
}

/** Where a function is: its file below `src/`, its package, or Node's module. */
function cursorOf(url: string): string {
  const [, inPackage] = url.split(/.*\/node_modules\//);
  const [, inProgram] = url.split(/.*\/(?:dist|src)\//);
  return inPackage ?? inProgram ?? url;
}

function frameOf({ callFrame }: ProfileNode): Frame {
  const { functionName, url } = callFrame;
  const location = cursorOf(url);
  const name = functionName === '' ? '(anonymous)' : functionName;
  return {
    name: location === '' ? name : `${name} ${location}`,
    origin: originOf(callFrame),
    micros: 0,
    callees: new Map(),
  };
}

/** The calls of a profile with the time spent in each, callees included; idle time is left out. */
function callsOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const root: Frame = { name: 'all', origin: 'engine', micros: 0, callees: new Map() };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callerOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const spent = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    spent.set(id, (spent.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  }
  for (const [id, micros] of spent) {
    const stack: ProfileNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callerOf.get(at)) {
      const node = byId.get(at);
      if (node !== undefined) stack.unshift(node);
    }
    if (IDLE.has(stack.at(-1)?.callFrame.functionName ?? '(root)')) continue;
    let caller = root;
    caller.micros += micros;
    for (const node of stack.slice(1)) {
      const made = frameOf(node);
      const frame = caller.callees.get(made.name) ?? made;
      caller.callees.set(frame.name, frame);
      frame.micros += micros;
      caller = frame;
    }
  }
  return root;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A frame and all below it, left to right in order of time. */
function draw(
  frame: Frame,
  at: { readonly x: number; readonly depth: number; readonly perMicro: number; all: number },
): { readonly parts: string[]; readonly depth: number } {
  const width = frame.micros * at.perMicro;
  if (width < WIDTH_MIN) return { parts: [], depth: 0 };
  const y = HEAD + at.depth * ROW_HEIGHT;
  const share = ((100 * frame.micros) / at.all).toFixed(1);
  const letters = Math.floor((width - 4) / LETTER_WIDTH);
  const label = letters < 3 ? '' : escaped(frame.name.slice(0, letters));
  const box = `x="${at.x.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW_HEIGHT - 1}"`;
  const parts = [
    `<g><title>${escaped(frame.name)}: ${share} %</title><rect ${box} fill="${COLOURS[frame.origin]}"/>` +
      (label === '' ? '' : `<text x="${(at.x + 2).toFixed(1)}" y="${y + 13}">${label}</text>`) +
      '</g>',
  ];
  let { x } = at;
  let depth = at.depth + 1;
  for (const callee of [...frame.callees.values()].toSorted((a, b) => b.micros - a.micros)) {
    const drawn = draw(callee, { ...at, x, depth: at.depth + 1 });
    parts.push(...drawn.parts);
    depth = Math.max(depth, drawn.depth);
    x += callee.micros * at.perMicro;
  }
  return { parts, depth };
}

/** A profile as an icicle (SVG): callers above callees, as wide as the time that they took. */
export function flameChartOf(profile: CpuProfile, title: string): string {
  const calls = callsOf(profile);
  const perMicro = (WIDTH - 2 * MARGIN) / Math.max(1, calls.micros);
  const { parts, depth } = draw(calls, { x: MARGIN, depth: 0, perMicro, all: calls.micros });
  const height = HEAD + depth * ROW_HEIGHT + MARGIN;
  const busy = `${(calls.micros / 1e6).toFixed(1)} s at work`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    '<style>text{font:11px ui-monospace,monospace;fill:#1b2430}.title{font:600 14px system-ui,sans-serif}</style>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${MARGIN}" y="18" class="title">${escaped(title)}, ${busy}</text>`,
    `<text x="${MARGIN}" y="35">${LEGEND}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** The profile with functions where their source is, and not in the files that were built. */
function inSources(profile: CpuProfile): CpuProfile {
  const built = new BuiltFrom();
  const nodes = profile.nodes.map(({ callFrame, ...node }) => ({
    ...node,
    callFrame: { ...callFrame, url: built.sourceOf(callFrame) },
  }));
  return { ...profile, nodes };
}

/** Draws every CPU profile in a folder beside it; answers the files that it made. */
export function drawProfiles(folder: string): string[] {
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  return profiles.map((name) => {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
    const path = join(folder, name.replace(/\.cpuprofile$/, '.svg'));
    writeFileSync(path, flameChartOf(inSources(profile), name));
    return path;
  });
}
