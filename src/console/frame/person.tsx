import type { Markup } from '../../pages/parts/markup.ts';
import type { Caller } from '../../api/access.ts';

/** Who is signed in; `visitor` is absent when a stranger looks at a public console. */
export function Person({ visitor, path }: { visitor: Caller | undefined; path: string }): Markup {
  if (visitor === undefined) {
    return <a href={`/console/session?next=${encodeURIComponent(path)}`}>Sign in to act</a>;
  }
  return (
    <form class="person" method="post" action="/console/session/end">
      <span class="visitor">
        {visitor.name} · {visitor.role}
      </span>
      <button>Sign out</button>
    </form>
  );
}
