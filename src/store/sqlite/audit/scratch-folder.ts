import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explained } from '../file/open-refusal.ts';
import { StoreRefused } from '../../refusal.ts';

/** Makes a new folder for an audit's temporary files; TMPDIR chooses the disk. Throws `StoreRefused`. */
export function makeScratchFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'counterfoil-verify-'));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new StoreRefused(
      `${tmpdir()} cannot hold the temporary files of an audit (${text}): set TMPDIR to a folder that exists and that you may write`,
    );
  }
}

/**
 * Turns the error of a full disk into a refusal that says how to choose another one; returns any other
 * error unchanged. `folder`: that of `makeScratchFolder`.
 */
export function fullDiskRefusal(folder: string, error: unknown): unknown {
  if (explained(folder, error) === error) return error;
  return new StoreRefused(
    `${folder}: the disk is full, and an audit replays the journal into temporary files there: make room, or set TMPDIR to a folder with as much room as the store takes`,
  );
}
