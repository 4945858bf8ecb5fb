import { shortened } from './figure.ts';
import type { Markup } from '../markup.ts';

/** An id, a hash or an address: both ends, all of it in the title, and a button that copies it. */
export function Identifier(id: {
  value: string;
  /** The page about it. */
  href?: string | undefined;
  /** Shows all of it, broken over lines. */
  whole?: boolean;
}): Markup {
  const { value, href, whole = false } = id;
  const text = whole ? value : shortened(value);
  return (
    <span class="identifier">
      {href === undefined ? (
        <span class="id" title={value}>
          {text}
        </span>
      ) : (
        <a class="id" title={value} href={href}>
          {text}
        </a>
      )}
      <button type="button" class="copy" data-copy={value} aria-label={`Copy ${value}`}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        </svg>
      </button>
    </span>
  );
}
