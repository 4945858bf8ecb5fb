import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SecretFile } from '../../ops/secret-file.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** Bits of a mode that let others than the owner read or write. */
const GROUP_WRITE = 0o020;
const GROUP = 0o060;
const OTHERS = 0o006;

/** The superuser, who owns what is handed to a daemon by its group. */
const ROOT = 0;

/** Whose a file is, and who may do what with it. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
}

/**
 * Whether anybody but their owner can read or change the files that hold secrets, and the
 * configuration itself where a path token stands in it. Windows has no such modes: nothing is said.
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

/** The warning about a file that is open to others than its owner; `own` is the user who asks. */
export function openSecret(
  { where, file }: SecretFile,
  { mode, uid }: Access,
  own: number,
): Diagnosis | null {
  const to = openTo(mode, uid);
  if (to === null) return null;
  const name = shellWord(file);
  const mend =
    uid === own || own === ROOT
      ? `chmod 600 ${name}`
      : `sudo chown "$(id -un)" ${name} && sudo chmod 600 ${name}`;
  const bits = (mode & 0o777).toString(8).padStart(3, '0');
  return warning(
    'secret files',
    `${where} is open to ${to} (${file} has mode ${bits}): close it with \`${mend}\``,
  );
}

/** Root's files for the group of a daemon to read are closed enough: it could not read them else. */
function openTo(mode: number, uid: number): string | null {
  const others = (mode & OTHERS) !== 0;
  const group = (mode & (uid === ROOT ? GROUP_WRITE : GROUP)) !== 0;
  if (others) return 'every user of this machine';
  return group ? 'its group' : null;
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
