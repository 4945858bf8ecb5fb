import { dirname } from 'node:path/posix';
import type { Source } from '../source.ts';

/** A row of a table whose first cell is the path of a room below `src/`. */
const ROW = /^\| `([\w/-]+)` +\| .*[^ |\n].* \| .*[^ |\n].* \|$/gm;

/** Rooms (folders below a folder of `src/`) that no table of this text gives a line, by path. */
export function roomsWithoutLine(sources: readonly Source[], architecture: string): string[] {
  const described = new Set([...architecture.matchAll(ROW)].map(([, room]) => room));
  const folders = sources.map(({ path }) => dirname(path).slice('src/'.length));
  const rooms = new Set(folders.filter((folder) => folder.includes('/')));
  return [...rooms].filter((room) => !described.has(room)).toSorted();
}
