/** A path with a query. Empty and undefined members are left out: a filter's link stays short. */
export function linkTo(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The 0-based page that a query asks for; the first for anything else. */
export function pageOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : 0;
}
