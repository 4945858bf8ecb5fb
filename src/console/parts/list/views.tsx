import type { Markup } from '../../../pages/parts/markup.ts';

/** A filter of a list that people use every day. */
export interface View {
  readonly name: string;
  readonly href: string;
}

/**
 * Links to the views of a list. The page's script adds the person's own views, which the browser
 * keeps, and a field that saves another one.
 */
export function Views(bar: {
  views: readonly View[];
  /** The link of what the page shows. */
  here: string;
  /** Null in a public console. */
  person: string | null;
}): Markup {
  const { views, here, person } = bar;
  return (
    <ul class="views" aria-label="Views" data-views="" data-person={person ?? ''}>
      {views.map(({ name, href }) => (
        <li>
          <a href={href} aria-current={href === here ? 'true' : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
