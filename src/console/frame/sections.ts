import type { Section } from '../../pages/frame/site.ts';
import type { ApiRoute } from '../../api/acting.ts';

/** What a section reads besides the books: it is not for everybody. */
const READS: Readonly<Record<string, ApiRoute>> = {
  '/console/access': { method: 'GET', path: '/v1/tokens' },
  '/console/settings': { method: 'GET', path: '/v1/settings' },
};

/** The sections that a visitor may read. */
export function sectionsFor(
  sections: readonly Section[],
  may: (call: ApiRoute) => boolean,
): readonly Section[] {
  return sections.filter(({ path }) => {
    const call = READS[path];
    return call === undefined || may(call);
  });
}
