import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readSources, REPOSITORY } from '../house/source.ts';
import { proseOf, readPage, type Page } from './reading/page.ts';

/** A link of a page that leads nowhere. */
export interface Broken {
  readonly page: string;
  readonly target: string;
}

const LINK = /\]\(([^)\s]+)\)/g;

/** A file or folder of this repository, named in code; not a pattern with a wildcard. */
const NAMED = /`((?:src|docs|config|test|\.ci)\/[\w./-]*[\w/]|schema\.sql)`/g;

const SOURCES = (['src', 'test'] as const).flatMap(readSources).map(({ path }) => path);

/** A source named by the end of its path, as ARCHITECTURE.md does. */
const IN_A_ROOM = /`((?!src\/|test\/)[a-z][\w-]*\/[\w./-]*\w\.ts)`/g;

const OUTSIDE = /^[a-z]+:/;

/** As GitHub makes an anchor of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function anchorsOf(page: Page): Set<string> {
  return new Set(
    [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
  );
}

function leadsNowhere(page: Page, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page.path : normalize(join(dirname(page.path), path));
  if (!existsSync(join(REPOSITORY, file))) return true;
  if (anchor === undefined || !file.endsWith('.md')) return false;
  const aim = file === page.path ? page : readPage(file);
  return !anchorsOf(aim).has(anchor);
}

function isThere(path: string): boolean {
  return existsSync(join(REPOSITORY, path));
}

/** Links to files, pages and headings that are not there, and paths in code that are not. */
export function brokenLinks(page: Page): Broken[] {
  const prose = proseOf(page);
  const links = [...prose.matchAll(LINK)].map(([, target = '']) => target);
  const named = [...prose.matchAll(NAMED)].map(([, path = '']) => path);
  const inRooms = [...prose.matchAll(IN_A_ROOM)].map(([, path = '']) => path);
  return [
    ...links.filter((target) => !OUTSIDE.test(target) && leadsNowhere(page, target)),
    ...named.filter((path) => !isThere(path)),
    ...inRooms.filter((path) => !SOURCES.some((source) => source.endsWith(`/${path}`))),
  ].map((target) => ({ page: page.path, target }));
}

/** Every link of a page to a page of this repository. */
export function linksOf(page: Page): string[] {
  return [...proseOf(page).matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !OUTSIDE.test(target))
    .map((target) => normalize(join(dirname(page.path), target.split('#')[0] ?? '')));
}
