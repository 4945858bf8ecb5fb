import { readFileSync } from 'node:fs';
import { CommandFailed } from '../terminal.ts';

/**
 * Files that the daemon may have open at least. Most are for its start: each of three readers imports
 * all modules of the query builder at once, 234 files beside some 60 that stay open. Later it is one
 * for each connection, and 234 again while a day is closed.
 */
const OPEN_FILES_MIN = 900;

/**
 * Refuses to go on where this process may not open files enough: Node would end with whichever module
 * it could not load. Node has raised the limit as far as it may by itself.
 */
export function needOpenFiles(): void {
  const max = openFilesMax();
  if (max === null || max >= OPEN_FILES_MIN) return;
  throw new CommandFailed(
    `this process may have ${max} files open, and the daemon needs ${OPEN_FILES_MIN} and one more for each connection: raise the limit, e.g. \`ulimit -Hn 4096\` as root, LimitNOFILE=4096 of systemd, --ulimit nofile=4096 of docker`,
  );
}

/** How many files this process may have open; null where the system does not tell, as only Linux does. */
function openFilesMax(): number | null {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return null;
  }
  const soft = /^Max open files +(\d+) /m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
