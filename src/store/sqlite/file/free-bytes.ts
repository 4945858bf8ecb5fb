import { statfsSync } from 'node:fs';

/** How many bytes the disk of a file or folder still takes from the current user. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** A page may fit a disk with less room, but a commit of many facts does not. */
const COMMIT_BYTES = 8_388_608;

/** That the disk of a store's file has no room for commits; null when it has. */
export function fullText(path: string): string | null {
  const free = freeBytes(path);
  return free < COMMIT_BYTES ? `the disk of ${path} is full: ${free} bytes are left` : null;
}
