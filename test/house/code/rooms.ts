/**
 * The rooms inside an area, and which other rooms of the area each may import. `domain` has a room
 * per subject: rules of deposits know nothing of withdrawals, and only `fact` knows of `close`.
 * `reconcile` and `store` have layers: each room imports only rooms named before it. Pages of the
 * console stand on its frame. Files outside any room serve all rooms and import none, but for the
 * doors.
 */
export const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  domain: {
    money: ['fact'],
    access: ['fact'],
    fact: ['money', 'access', 'policy', 'break', 'chain', 'close', 'deposit', 'hash', 'withdrawal'],
    policy: ['money', 'break'],
    hash: ['money', 'policy', 'fact', 'break', 'deposit', 'withdrawal'],
    break: ['money', 'fact', 'hash', 'deposit', 'withdrawal'],
    deposit: ['money', 'policy', 'fact', 'hash', 'break', 'chain'],
    withdrawal: ['money', 'policy', 'fact', 'hash', 'break', 'deposit'],
    chain: ['money', 'fact', 'hash', 'break', 'deposit', 'withdrawal'],
    close: ['money', 'fact', 'break'],
  },
  reconcile: {
    pacing: [],
    list: ['pacing'],
    comparing: ['pacing'],
    watching: ['pacing', 'comparing'],
    lookup: ['pacing', 'list', 'comparing'],
    repair: ['pacing', 'comparing', 'watching'],
    addresses: ['pacing', 'list', 'comparing', 'watching'],
    verifying: ['list', 'comparing'],
    sweep: ['list', 'comparing', 'watching', 'lookup', 'repair', 'addresses', 'verifying'],
    close: ['pacing', 'list', 'addresses'],
  },
  store: {
    codec: [],
    unit: [],
    close: ['codec'],
    bookkeeping: ['codec', 'unit', 'close'],
    replicated: ['codec'],
    sqlite: ['codec', 'unit', 'close', 'bookkeeping', 'replicated'],
    postgres: ['codec', 'replicated'],
  },
  pages: {
    parts: [],
    assets: [],
    live: [],
    frame: ['parts', 'assets'],
  },
  console: {
    parts: [],
    live: [],
    session: [],
    frame: ['parts', 'session', 'live'],
    ...pagesOf('access', 'settings'),
    ...pagesOf('overview', 'deposits', 'runs', 'search', 'close', 'policy', 'audit'),
    ...pagesOf('breaks', 'books', 'withdrawals', 'quarantine', 'journal', 'feed'),
  },
  program: { commands: ['daemon'], daemon: [] },
};

/** Rooms of pages: each knows the frame and the parts, and no other page. */
function pagesOf(...names: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map((name) => [name, ['frame', 'parts']]));
}

/** Files outside any room that import rooms of their area. */
const DOORS: ReadonlySet<string> = new Set(['src/main.ts', 'src/console/application.ts']);

/** The area's room that holds a file: `null` outside any room, undefined where no row names it. */
export function roomOf(area: string, path: string): string | null | undefined {
  const rooms = ROOMS[area];
  const [, top, room, ...deeper] = path.split('/');
  if (rooms === undefined || top === undefined || room === undefined) return null;
  if (area === 'program') return top === 'main.ts' ? null : top;
  if (deeper.length === 0) return null;
  return Object.hasOwn(rooms, room) ? room : undefined;
}

/** Why a file of one room may not import a file of another in the same area; undefined if it may. */
export function roomBroken(area: string, from: string, target: string): string | undefined {
  const rooms = ROOMS[area];
  const [fromRoom, targetRoom] = [roomOf(area, from), roomOf(area, target)];
  if (rooms === undefined || fromRoom === targetRoom || targetRoom === null) return undefined;
  if (DOORS.has(from)) return undefined;
  if (fromRoom !== null && fromRoom !== undefined && targetRoom !== undefined) {
    if (rooms[fromRoom]?.includes(targetRoom) === true) return undefined;
  }
  return `${area}/${fromRoom ?? ''} must not import ${area}/${targetRoom ?? ''}`;
}
