import type { PropsWithChildren } from 'hono/jsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** Links that save a list as a file, and further links behind them, on one line. */
export function Downloads(links: PropsWithChildren<{ csv: string; xlsx: string }>): Markup {
  const { csv, xlsx, children } = links;
  return (
    <span>
      <a href={csv}>CSV</a> <a href={xlsx}>XLSX</a>
      {children}
    </span>
  );
}
