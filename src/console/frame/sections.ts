import type { Subject } from './context.ts';

/** A section of the navigation. */
export interface Section {
  readonly name: string;
  readonly path: string;
  /** The key that follows `g` to open it. */
  readonly key: string;
}

/** The section of each thing, and the folder of its pages there; null: the section's page itself. */
const PAGES: Readonly<
  Record<Subject, { readonly section: string; readonly folder: string | null }>
> = {
  deposit: { section: '/console/deposits', folder: '' },
  withdrawal: { section: '/console/withdrawals', folder: '' },
  hash: { section: '/console/books', folder: '/movements' },
  notification: { section: '/console/notifications', folder: '' },
  break: { section: '/console/breaks', folder: '' },
  day: { section: '/console/close', folder: '' },
  policy: { section: '/console/policy', folder: null },
  quarantine: { section: '/console/quarantine', folder: '' },
  run: { section: '/console/runs', folder: '' },
};

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
