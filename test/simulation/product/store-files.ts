import { appendFileSync, copyFileSync, existsSync } from 'node:fs';

/** Copies a store as it is now, while it may be open: what a process finds after a crash. */
export function copyCrashed(from: string, to: string, tornBytes: number): void {
  copyFileSync(from, to);
  if (!existsSync(`${from}-wal`)) return;
  copyFileSync(`${from}-wal`, `${to}-wal`);
  if (tornBytes > 0) appendFileSync(`${to}-wal`, Buffer.alloc(tornBytes, 0xa5));
}
