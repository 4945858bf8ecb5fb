import type { Markup } from '../markup.ts';
import { grouped } from '../value/figure.ts';

/** Links to the pages of a list: by page number, or by cursor alone. */
export function Pager(list: {
  /** Null on the first page. */
  previous: string | null;
  /** Null on the last page. */
  next: string | null;
  /** `1–50 of 1,234`; absent where nobody counts. */
  position?: string;
}): Markup {
  const { previous, next, position } = list;
  if (previous === null && next === null && position === undefined) return <></>;
  return (
    <nav class="pager" aria-label="Pages">
      {previous === null ? (
        <span class="muted">Previous</span>
      ) : (
        <a href={previous} rel="prev">
          Previous
        </a>
      )}
      {position !== undefined && <span class="muted">{position}</span>}
      {next === null ? (
        <span class="muted">Next</span>
      ) : (
        <a href={next} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}

/** The pager of a page of `Reads`. `href`: the link to a page, 0-based. */
export function PageLinks(list: {
  found: { page: number; pageSize: number; total: number };
  href: (page: number) => string;
}): Markup {
  const { page, pageSize, total } = list.found;
  if (total <= pageSize && page === 0) return <></>;
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1);
  // The list has become shorter since the link was made.
  if (page > lastPage) {
    const position = `After the end: the list has ${grouped(total)}`;
    return <Pager previous={list.href(lastPage)} next={null} position={position} />;
  }
  const first = page * pageSize + 1;
  const last = Math.min(total, first + pageSize - 1);
  return (
    <Pager
      previous={page === 0 ? null : list.href(page - 1)}
      next={last >= total ? null : list.href(page + 1)}
      position={`${grouped(first)}–${grouped(last)} of ${grouped(total)}`}
    />
  );
}
