import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../house/source.ts';

/** A fenced block of a page. `line` is that of its opening fence, from 1. */
export interface Block {
  readonly language: string;
  /** The file to which the reader saves the block: the second word after the fence. */
  readonly file: string | null;
  readonly text: string;
  readonly line: number;
}

/** A page in Markdown: its path from the repository's root, and its text. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)(?: (\S+))?\n(.*?)^\1```$/gms;

const NOT_OURS = /^(?:node_modules|dist|dist-bench|reports)\//;

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(REPOSITORY, path), 'utf8') };
}

/** Every page of the repository, by path. */
export function readPages(): Page[] {
  return readdirSync(REPOSITORY, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(REPOSITORY, entry.name), { recursive: true, encoding: 'utf8' }).map(
            (name) => `${entry.name}/${name.replaceAll('\\', '/')}`,
          )
        : [entry.name],
    )
    .filter((path) => path.endsWith('.md') && !NOT_OURS.test(path))
    .filter((path) => !path.includes('/node_modules/'))
    .toSorted()
    .map(readPage);
}

/** The fenced blocks, without the indent of a list that they are in. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(FENCE)].map(
    ({ index, 1: indent = '', 2: language = '', 3: file, 4: body = '' }) => ({
      language,
      file: file ?? null,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index).split('\n').length,
    }),
  );
}

/** The text outside fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(FENCE, '');
}

/** A heading, or undefined: its level, from 1. A comment within a fenced block is none. */
function levelOf(line: string): number | undefined {
  return /^#+(?= )/.exec(line)?.[0].length;
}

/** The page with its other lines empty, so that each line keeps its number. */
function reduced(page: Page, isKept: (headings: readonly string[]) => boolean): Page {
  const headings: string[] = [];
  let isFenced = false;
  const lines = page.text.split('\n').map((line) => {
    if (/^ *```/.test(line)) isFenced = !isFenced;
    const level = isFenced ? undefined : levelOf(line);
    if (level !== undefined) headings.splice(level - 1, headings.length, line);
    return isKept(headings) ? line : '';
  });
  return { path: page.path, text: lines.join('\n') };
}

/** The sections under some headings, for example `## Back up`, with the sections in them. */
export function sectionsOf(page: Page, sections: readonly string[]): Page {
  return reduced(page, (headings) => sections.some((section) => headings.includes(section)));
}

/** The page without the sections under some headings. */
export function withoutSections(page: Page, sections: readonly string[]): Page {
  return reduced(page, (headings) => !sections.some((section) => headings.includes(section)));
}

/** Blocks that a reader types at a terminal. */
export function isCommand({ language }: Block): boolean {
  return language === 'sh' || language === 'bash' || language === 'console';
}

/** Programs that the pages call, and the shell's own words. */
const PROGRAMS = [
  'counterfoil|npm|npx|node|git|docker|sudo|apt-get|systemctl|psql|pg_\\w+|pgbackrest|patronictl',
  'haproxy|curl|jq|openssl|sqlite3|cp|mv|rm|mkdir|cat|kill|export|eval|for \\w+ in',
].join('|');

/** How a line begins that a reader types. */
const TYPED = new RegExp(`^ *(?:\\$ )?(?:${PROGRAMS}) |^ *\\w+=\\$\\(`, 'm');

/** A block of commands that is fenced as something else, so that no test would type it. */
export function hidesCommands(block: Block): boolean {
  return !isCommand(block) && TYPED.test(block.text);
}
