import type { Child } from 'hono/jsx';
import type { Markup } from '../markup.ts';

/** A column of a table. */
export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => Child;
  /** `number` aligns right; `wide` is left out of a phone's list. */
  readonly is?: 'number' | 'wide';
}

/**
 * A table of a list; on a phone each row is a block of named values. `rowKey` names each item: a live update moves its row and changes no other. With `href` each row is an entry of a queue: `j` and `k` move, Enter opens. The
 * first cell holds the row's link.
 */
export function DataTable<Item>(table: {
  /** What the table lists, for screen readers. */
  caption: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string;
  href?: (item: Item) => string;
  /** Of too many amounts for a tablet: there a row is its first cell, then named values in threes. */
  folds?: boolean;
}): Markup {
  const { caption, items, columns, rowKey, href, folds = false } = table;
  return (
    <div class={`scroll${folds ? ' folds' : ''}`} tabindex={0} role="group" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, is }) => (
              <th scope="col" class={is}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr id={`row-${rowKey(item)}`} data-row={href === undefined ? undefined : href(item)}>
              {columns.map(({ title, cell, is }) => (
                <td class={is} data-label={title}>
                  <div class="cell">{cell(item)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
