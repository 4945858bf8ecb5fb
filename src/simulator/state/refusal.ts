/** Thrown for a state file that the core must not open. The message says why and what to do. */
export class StateFileRefused extends Error {
  override readonly name = 'StateFileRefused';
}

/** Makes the refusal of a file with damaged content. */
export function damaged(path: string, text: string): StateFileRefused {
  return new StateFileRefused(
    `${path} is damaged (${text}): restore a copy, move it away to start with a new file, or try \`sqlite3 ${path} .recover\` into a new file`,
  );
}

/** Makes the refusal for an error of SQLite or of the file system. */
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
  if (code === 'EISDIR') {
    return new StateFileRefused(`${path} is a folder: name a file in it with --db`);
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
