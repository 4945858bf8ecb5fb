/** The hashes of the deposits that a page lists, in order. */
export function hashesIn(page: string): string[] {
  return [...page.matchAll(/data-copy="(0x[^"]+)"/g)].map(([, hash]) => hash ?? '');
}
