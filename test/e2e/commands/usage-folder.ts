import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder, which the end of the test removes. */
export function usageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
