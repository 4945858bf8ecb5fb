/** A figure for people; a dash where there is none. */
export function figure(value: number | null, digits: number): string {
  return value === null ? '–' : value.toFixed(digits);
}

/** A table in Markdown, for people and for docs/performance.md; `left` columns are text. */
export function markdown(
  head: readonly string[],
  lines: readonly (readonly string[])[],
  left = 1,
): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column < left ? cell.padEnd(width) : cell.padStart(width);
  };
  const asLine = (cells: readonly string[]): string => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column < left ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [asLine(head), asLine(rule), ...lines.map(asLine)].join('\n');
}
