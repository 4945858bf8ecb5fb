import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../ops/config/reading/substitution.ts';

/** Where Debian's package puts the programs of each release. */
const DEBIAN = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root: root runs it as this user, which Debian's package creates. */
const USER = 'postgres';

export const NOT_INSTALLED =
  'PostgreSQL is not installed: `apt-get install postgresql` brings it; on Debian no cluster has to run';

/** The folder with initdb and postgres; undefined where PostgreSQL is not installed. */
export function postgresPrograms(environment: Environment): string | undefined {
  const releases = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = releases.toSorted((left, right) => Number(right) - Number(left));
  const folders = newestFirst.map((release) => join(DEBIAN, release, 'bin'));
  const path = (environment['PATH'] ?? '').split(':');
  return [...folders, ...path].find((folder) => existsSync(join(folder, 'initdb')));
}

/** The user of the servers: `postgres` if this process runs as root, otherwise its own. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
