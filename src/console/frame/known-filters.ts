import { createMiddleware } from 'hono/factory';
import type { ConsoleContext, ConsoleEnv } from './context.ts';

/** What the link of a list may name. */
export interface LinkNames {
  readonly filters: readonly string[];
  /** What selects a page of the list, and filters nothing. */
  readonly others: readonly string[];
}

/**
 * Answers 404 to a link with a filter that its list does not have. Without that filter the page
 * would show everything, as if everything matched.
 */
export function knownFilters({ missing }: ConsoleContext, { filters, others }: LinkNames) {
  const known = new Set([...filters, ...others]);
  return createMiddleware<ConsoleEnv>(async (pageRequest, next) => {
    const named = Object.entries(pageRequest.req.query());
    const unknown = named.filter(([name, value]) => value !== '' && !known.has(name));
    if (unknown.length === 0) return next();
    const names = unknown.map(([name]) => name).join(', ');
    const text = `There is no filter ${names} here. The filters are ${filters.join(', ')}.`;
    return missing(pageRequest, text);
  });
}
