import type { Child, PropsWithChildren } from 'hono/jsx';
import type { Markup } from './markup.ts';

/**
 * A framed part of a page. `live`: topics, separated by spaces, after which the page's script renders
 * the card again; `tick` also renders it every twenty seconds, for ages.
 */
export function Card(
  card: PropsWithChildren<{ id: string; title: string; live?: string; aside?: Child }>,
): Markup {
  const { id, title, live, aside, children } = card;
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`} data-live={live}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
