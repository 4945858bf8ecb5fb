/** The media type of CSV. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

/** Protects text that a spreadsheet would run as a formula; amounts stay unchanged. */
function safe(value: string): string {
  return /^[=+\-@\t\r]/.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

/** A cell of a CSV line, quoted where RFC 4180 asks for it. */
export function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = safe(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
