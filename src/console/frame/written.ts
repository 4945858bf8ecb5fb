import type { ApiCall } from '../../api/acting.ts';
import { labelOf } from './form-words.ts';
import type { Written } from '../../pages/parts/written-text.tsx';

/** Members of a call's body that no person wrote. */
const UNWRITTEN: ReadonlySet<string> = new Set([
  'basis',
  'breakId',
  'kind',
  'reportHash',
  'role',
  'version',
]);
/** Twenty times what a field takes. A longer text is not repeated: each session keeps a message. */
const WRITTEN_CHARACTERS_MAX = 20_000;

/** What a person wrote into the form of a call, by the labels of its fields. */
export function writtenIn({ body }: Pick<ApiCall, 'body'>): Written {
  return Object.entries(body ?? {}).flatMap(([field, text]: [string, unknown]) =>
    typeof text === 'string' &&
    text.trim() !== '' &&
    text.length <= WRITTEN_CHARACTERS_MAX &&
    !UNWRITTEN.has(field)
      ? [[labelOf(field), text] as const]
      : [],
  );
}
