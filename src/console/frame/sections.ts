import type { Section } from '../../pages/frame/site.ts';
import type { ApiCall } from '../../api/acting.ts';

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
