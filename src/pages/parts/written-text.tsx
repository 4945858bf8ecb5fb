import type { Markup } from './markup.ts';

/** What a person wrote into a form, by field. */
export type Written = readonly (readonly [field: string, text: string])[];

/** Repeats what a person wrote into a refused form, to copy. */
export function WrittenText({ written }: { written: Written }): Markup {
  if (written.length === 0) return <></>;
  return (
    <p>
      You wrote:{' '}
      {written.map(([field, text], index) => (
        <>
          {index === 0 ? '' : ', '}
          {field} <q>{text}</q>
        </>
      ))}
    </p>
  );
}
