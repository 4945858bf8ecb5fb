import { createMiddleware } from 'hono/factory';
import type { ConsoleContext, ConsoleEnv } from './context.ts';

/** What the link of a list may name. */
export interface LinkNames {
  readonly filters: readonly string[];
  /** What selects a page of the list, and filters nothing. */
  readonly others: readonly string[];
  /** Whether every value is one of those that exist, and the text for a link with another one. */
  readonly values?: {
    readonly areKnown: (query: Readonly<Record<string, string>>) => boolean;
    readonly unknown: string;
  };
}

/**
 * Answers 404 to a link with a filter, or a filter's value, that its list does not have. Without it
 * the page would show everything, as if everything matched.
 */
export function knownFilters({ missing }: ConsoleContext, { filters, others, values }: LinkNames) {
  const known = new Set([...filters, ...others]);
  return createMiddleware<ConsoleEnv>(async (pageRequest, next) => {
    const query = pageRequest.req.query();
    const named = Object.entries(query).filter(([, value]) => value !== '');
    const unknown = named.map(([name]) => name).filter((name) => !known.has(name));
    if (unknown.length > 0) {
      const existing =
        filters.length === 0 ? 'This page has none.' : `The filters are ${filters.join(', ')}.`;
      return missing(pageRequest, `There is no filter ${unknown.join(', ')} here. ${existing}`);
    }
    if (values?.areKnown(query) === false) return missing(pageRequest, values.unknown);
    return next();
  });
}
