import type { PropsWithChildren } from 'hono/jsx';
import type { Markup } from './markup.ts';

/** A name and its value, in a list of facts. */
export function Fact({ name, children }: PropsWithChildren<{ name: string }>): Markup {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
