import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SecretFile } from '../../ops/config/reading/secret-file.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** Mode bits that allow group or others to read or write. */
const GROUP_WRITE = 0o020;
const GROUP = 0o060;
const OTHERS = 0o006;

/** The superuser, who owns files given to a daemon through its group. */
const ROOT = 0;

/** Owner, group and mode of a file. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
}

/**
 * Warns when users other than the owner can read or change secret files, or a configuration with a
 * path token. Windows has no such modes, so the check is skipped there.
 */
export function checkSecretFiles(about: {
  readonly secretFiles: readonly SecretFile[];
  readonly pathTokens: readonly string[];
  readonly configPath: string;
}): Diagnosis[] {
  const { secretFiles, pathTokens } = about;
  const own = process.getuid?.();
  if (own === undefined) return [];
  const configPath = path.resolve(about.configPath);
  const text = readFileSync(configPath, 'utf8');
  const itself = { where: 'the configuration (it holds a path token)', file: configPath };
  const holding = pathTokens.some((token) => text.includes(token)) ? [itself] : [];
  const all = [...secretFiles, ...holding];
  const open = all.flatMap((one) => openSecret(one, statSync(one.file), own) ?? []);
  if (all.length === 0 || open.length > 0) return open;
  return [ok('secret files', `${all.map(({ where }) => where).join(', ')}: closed to others`)];
}

/** The warning about a file that other users can access; `own` is the current user. */
export function openSecret(
  { where, file }: SecretFile,
  { mode, uid }: Access,
  own: number,
): Diagnosis | null {
  const to = openTo(mode, uid);
  if (to === null) return null;
  const name = shellWord(file);
  const command =
    uid === own || own === ROOT
      ? `chmod 600 ${name}`
      : `sudo chown "$(id -un)" ${name} && sudo chmod 600 ${name}`;
  const bits = (mode & 0o777).toString(8).padStart(3, '0');
  return warning(
    'secret files',
    `${where} is open to ${to} (${file} has mode ${bits}): close it with \`${command}\``,
  );
}

/** Whether root owns the file and only the daemon's group may read it: that is safe. */
function openTo(mode: number, uid: number): string | null {
  const others = (mode & OTHERS) !== 0;
  const group = (mode & (uid === ROOT ? GROUP_WRITE : GROUP)) !== 0;
  if (others) return 'every user of this machine';
  return group ? 'its group' : null;
}

/** Quotes a path for a shell. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
