import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { serverUser } from '../../../src/commands/demo/postgres/installation.ts';

/** A small file system of its own; null where this user may mount none. */
export function smallDisk(
  megabytes: number,
): { folder: string; fill: () => void; free: () => void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const { uid = 0, gid = 0 } = serverUser();
  execFileSync('chown', [`${uid}:${gid}`, folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      writeFileSync(filler, '');
      for (;;) {
        const { bavail, bsize } = statfsSync(folder);
        if (bavail === 0) return;
        appendFileSync(filler, Buffer.alloc(Math.min(bavail * bsize, 1_048_576)));
      }
    },
    free: () => rmSync(filler),
  };
}
