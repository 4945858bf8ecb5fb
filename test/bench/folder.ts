import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one measurement, below the system's folder for temporary files. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Gives work such a folder, and removes it afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const { path, remove } = makeFolder();
  try {
    return await work(path);
  } finally {
    remove();
  }
}
