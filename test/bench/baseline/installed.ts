import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { REPOSITORY } from '../../house/source.ts';

const NAMED = join(REPOSITORY, 'test/bench');
const TOOLS = join(REPOSITORY, 'node_modules/.cache/bench');

/** A package that test/bench/package.json names, from where `install` put it. */
export const requireInstalled = createRequire(join(TOOLS, 'package.json'));

/** Where such a package is. */
export function installedFolder(name: string): string {
  return join(TOOLS, 'node_modules', name);
}

function textOf(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'package-lock.json'), 'utf8');
  } catch {
    return null;
  }
}

/**
 * Installs what the bench compares with where no other tool looks, unless it is there. Returns why
 * that failed, or null.
 */
export function install(): string | null {
  if (textOf(NAMED) === textOf(TOOLS)) return null;
  mkdirSync(TOOLS, { recursive: true });
  copyFileSync(join(NAMED, 'package.json'), join(TOOLS, 'package.json'));
  const lock = join(TOOLS, 'package-lock.json');
  const args = ['ci', '--prefix', TOOLS, '--ignore-scripts', '--no-audit', '--no-fund'];
  copyFileSync(join(NAMED, 'package-lock.json'), lock);
  const npm = spawnSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (npm.status === 0) return null;
  // Next time it is tried again.
  copyFileSync(join(NAMED, 'package.json'), lock);
  return `npm ci failed: ${npm.error?.message ?? npm.stderr.trim()}`;
}
