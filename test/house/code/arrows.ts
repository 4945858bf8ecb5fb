import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { roomBroken, roomOf } from './rooms.ts';
import { dependenciesOf } from './syntax.ts';
import type { Dependency, Module } from './syntax.ts';
import type { Violation } from './violation.ts';

/**
 * The rooms of the house. Each `store/<dialect>` folder is a room of its own beside the port, and so
 * is the inspector beside the simulated core.
 */
export type Area =
  | 'program'
  | 'wire'
  | 'domain'
  | 'translation'
  | 'intake'
  | 'store'
  | 'store/sqlite'
  | 'store/postgres'
  | 'custody'
  | 'reconcile'
  | 'api'
  | 'report'
  | 'pages'
  | 'console'
  | 'simulator'
  | 'simulator/inspector'
  | 'ops';

/** Where a room's arrows may point, beyond the room itself. */
interface Arrows {
  /** Rooms whose values (and types) may be imported. */
  readonly values: readonly Area[];
  /** Rooms of which only types may be imported. */
  readonly types: readonly Area[];
  /** Packages that may be imported; undefined: any that package.json names. */
  readonly packages?: readonly string[];
  /** Whether Node's own modules may be imported. */
  readonly node: boolean;
}

/** Folders inside another area that are areas of their own. */
const INNER_AREAS: readonly string[] = ['store/sqlite', 'store/postgres', 'simulator/inspector'];

const DIALECT: Arrows = { values: ['store', 'domain'], types: [], node: true };
const READING: Arrows = { values: ['domain', 'store'], types: [], node: true };

/**
 * Every arrow of the house. Whatever a room needs beyond its row reaches it as an argument, from
 * the program, which alone sees everything.
 */
const ARROWS: Record<Exclude<Area, 'program'>, Arrows> = {
  wire: { values: [], types: [], packages: ['zod'], node: false },
  domain: { values: [], types: [], packages: [], node: false },
  translation: { values: ['domain', 'wire'], types: [], packages: [], node: false },
  intake: { values: ['domain', 'wire', 'translation'], types: ['store'], node: true },
  store: { values: ['domain'], types: [], node: true },
  'store/sqlite': DIALECT,
  'store/postgres': DIALECT,
  custody: { values: ['wire', 'domain', 'translation'], types: [], node: true },
  reconcile: {
    values: ['domain', 'custody', 'store', 'wire', 'translation'],
    types: [],
    node: true,
  },
  api: { values: ['domain', 'store', 'report'], types: [], node: true },
  report: READING,
  // What both programs show in a browser: it knows neither of them, so it couples neither.
  pages: { values: [], types: [], packages: ['hono'], node: true },
  console: { values: ['domain', 'store', 'report', 'pages'], types: ['api'], node: true },
  simulator: { values: ['wire', 'simulator/inspector'], types: [], node: true },
  'simulator/inspector': { values: ['wire', 'simulator', 'pages'], types: [], node: true },
  ops: { values: [], types: ['domain'], node: true },
};

export type ArrowRule =
  | 'unknown-area'
  | 'computed-import'
  | 'dangling-import'
  | 'arrow'
  | 'room'
  | 'package'
  | 'node-module'
  | 'cycle';

/** The room of a file below src/, or undefined: a folder without a row in the table. */
export function areaOf(path: string): Area | undefined {
  const [top, room, inner, ...deeper] = path.split('/');
  if (top !== 'src' || room === undefined) return undefined;
  if (inner === undefined) return room === 'main.ts' ? 'program' : undefined;
  if (room === 'commands' || room === 'daemon') return 'program';
  const innerArea = `${room}/${inner}`;
  const name = deeper.length > 0 && INNER_AREAS.includes(innerArea) ? innerArea : room;
  return isRoom(name) && roomOf(room, path) !== undefined ? name : undefined;
}

function isRoom(name: string): name is Exclude<Area, 'program'> {
  return Object.hasOwn(ARROWS, name);
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('./') || specifier.startsWith('../');
}

function isNodeModule(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function brokenBy(
  from: Exclude<Area, 'program'>,
  { specifier, kind }: Dependency & { readonly specifier: string },
  target: Area | undefined,
): { rule: ArrowRule; detail: string } | undefined {
  const row = ARROWS[from];
  if (target !== undefined) {
    const allowed =
      target === from ||
      row.values.includes(target) ||
      (kind === 'type' && row.types.includes(target));
    if (allowed) return undefined;
    const detail = `${from} must not import ${kind === 'type' ? 'types' : 'values'} of ${target}`;
    return { rule: 'arrow', detail };
  }
  if (isNodeModule(specifier)) {
    return row.node ? undefined : { rule: 'node-module', detail: `${from} imports ${specifier}` };
  }
  const free = row.packages === undefined || row.packages.includes(packageOf(specifier));
  return free ? undefined : { rule: 'package', detail: `${from} imports ${specifier}` };
}

/** What is wrong with an import between two rooms of one area; undefined when nothing is. */
function brokenRoom(path: string, target: string): string | undefined {
  const [from, to] = [path, target].map((one) => areaOf(one)?.split('/')[0]);
  return from === undefined || from !== to ? undefined : roomBroken(from, path, target);
}

/** Every broken arrow among the files below src/, with cycles of any kind of import. */
export function brokenArrows(modules: readonly Module[]): Violation<ArrowRule>[] {
  const paths = new Set(modules.map((module) => module.path));
  const edges = new Map<string, string[]>();
  const found: Violation<ArrowRule>[] = [];
  for (const module of modules) {
    const { path } = module;
    const area = areaOf(path);
    const targets: string[] = [];
    edges.set(path, targets);
    if (area === undefined) {
      found.push({
        rule: 'unknown-area',
        path,
        line: 1,
        detail: 'no arrows stand for this folder',
      });
      continue;
    }
    for (const { specifier, kind, line } of dependenciesOf(module)) {
      if (specifier === undefined) {
        found.push({ rule: 'computed-import', path, line, detail: 'nobody can tell where to' });
        continue;
      }
      const target = isRelative(specifier) ? posix.join(posix.dirname(path), specifier) : undefined;
      if (target !== undefined && !paths.has(target)) {
        found.push({ rule: 'dangling-import', path, line, detail: `${target} is not in src/` });
        continue;
      }
      if (target !== undefined && !targets.includes(target)) targets.push(target);
      const targetArea = target === undefined ? undefined : areaOf(target);
      const inner = target === undefined ? undefined : brokenRoom(path, target);
      if (inner !== undefined) found.push({ rule: 'room', detail: inner, path, line });
      if (area === 'program') continue;
      const broken = brokenBy(area, { specifier, kind, line }, targetArea);
      if (broken !== undefined) found.push({ ...broken, path, line });
    }
  }
  return [...found, ...cyclesOf(edges)];
}

/** One violation for each import that closes a cycle, spelled as the way around. */
function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): Violation<'cycle'>[] {
  const found: Violation<'cycle'>[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) {
      found.push({
        rule: 'cycle',
        path,
        line: 1,
        detail: [...trail.slice(seenAt), path].join(' → '),
      });
      return;
    }
    if (finished.has(path)) return;
    trail.push(path);
    for (const target of edges.get(path) ?? []) visit(target);
    trail.pop();
    finished.add(path);
  };
  for (const path of edges.keys()) visit(path);
  return found;
}
