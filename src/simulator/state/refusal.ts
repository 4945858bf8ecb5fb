/** A state file that must not be opened as it is; the message says why and what to do. */
export class StateFileRefused extends Error {
  override readonly name = 'StateFileRefused';
}

/** The refusal of a file whose content is not what was written. */
export function damaged(path: string, text: string): StateFileRefused {
  return new StateFileRefused(
    `${path} is damaged (${text}): restore a copy, move it away to start anew, or try \`sqlite3 ${path} .recover\` into a new file`,
  );
}

/** The refusal that an error of SQLite or of the file system means. */
export function refusal(path: string, error: unknown): StateFileRefused {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new StateFileRefused(
      `${path} is in use by another process: stop the other custody core first, or give each a file of its own`,
    );
  }
  if (code === 'SQLITE_NOTADB') {
    return new StateFileRefused(
      `${path} is not a SQLite database, or its beginning is damaged: give --db another path, or restore a copy`,
    );
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new StateFileRefused(`${path} cannot be opened (${text}): make room on its disk`);
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('E')) {
    return new StateFileRefused(
      `${path} cannot be opened (${text}): check that its folder exists and that both are writable`,
    );
  }
  return damaged(path, text);
}
