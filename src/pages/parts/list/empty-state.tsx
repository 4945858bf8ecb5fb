import type { PropsWithChildren } from 'hono/jsx';
import type { Markup } from '../markup.ts';

/** Says why a list is empty, and in its children what would fill it. */
export function EmptyState(state: PropsWithChildren<{ title: string; good?: boolean }>): Markup {
  const { title, good = false, children } = state;
  return (
    <div class={`empty${good ? ' good' : ''}`}>
      <p>{title}</p>
      {children}
    </div>
  );
}
