import type { Markup } from '../../pages/parts/markup.ts';

/** A value as indented JSON; amounts stay whole numbers. */
export function Body({ value, label }: { value: unknown; label: string }): Markup {
  const text = JSON.stringify(
    value,
    (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one),
    2,
  );
  return (
    <div class="raw-body">
      <pre tabindex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </div>
  );
}
