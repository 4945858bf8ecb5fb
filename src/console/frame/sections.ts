import type { Section } from '../../pages/frame/site.ts';
import type { ApiCall } from '../../api/acting.ts';
import type { Subject } from './context.ts';

/** The section of each thing, and the folder of its pages there; null: the section's page itself. */
const PAGES: Readonly<
  Record<Subject, { readonly section: string; readonly folder: string | null }>
> = {
  deposit: { section: '/console/deposits', folder: '' },
  withdrawal: { section: '/console/withdrawals', folder: '' },
  hash: { section: '/console/books', folder: '/movements' },
  // Bodies of the journal have no section of their own; every visitor has the overview.
  notification: { section: '/console', folder: '/journal' },
  break: { section: '/console/breaks', folder: '' },
  day: { section: '/console/close', folder: '' },
  policy: { section: '/console/policy', folder: null },
  quarantine: { section: '/console/quarantine', folder: '' },
  run: { section: '/console/runs', folder: '' },
};

/** What a section reads besides the books: it is not for everybody. */
const READS: Readonly<Record<string, Pick<ApiCall, 'method' | 'path'>>> = {
  '/console/access': { method: 'GET', path: '/v1/tokens' },
  '/console/settings': { method: 'GET', path: '/v1/settings' },
};

/** The sections that a visitor may read. */
export function sectionsFor(
  sections: readonly Section[],
  may: (call: Pick<ApiCall, 'method' | 'path'>) => boolean,
): readonly Section[] {
  return sections.filter(({ path }) => {
    const call = READS[path];
    return call === undefined || may(call);
  });
}

/** The page of a thing, while its section is in the navigation. */
export function hrefIn(
  sections: readonly Section[],
  subject: Subject,
  id: string,
): string | undefined {
  const { section, folder } = PAGES[subject];
  if (!sections.some(({ path }) => path === section)) return undefined;
  return folder === null ? section : `${section}${folder}/${encodeURIComponent(id)}`;
}
