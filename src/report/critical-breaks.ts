import type { Severity } from '../domain/break/break.ts';

/**
 * What the sealed status does not say: `1 critical break at the cut-off`, of the breaks that were open
 * then. Null without a critical one. A status speaks of figures alone, so a day with a theft can be
 * balanced.
 */
export function criticalText({
  openBreaks,
}: {
  readonly openBreaks: readonly { readonly severity: string }[];
}): string | null {
  const count = openBreaks.filter(({ severity }) => severity === 'critical').length;
  if (count === 0) return null;
  return count === 1
    ? '1 critical break at the cut-off'
    : `${count} critical breaks at the cut-off`;
}

/** `balanced, 1 critical break at the cut-off` */
export function statusText(report: {
  readonly status: string;
  readonly openBreaks: readonly { readonly severity: string }[];
}): string {
  const critical = criticalText(report);
  return critical === null ? report.status : `${report.status}, ${critical}`;
}

const ORDER: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/** Breaks as pages list them: the most severe first, else in the report's order. */
export function mostSevereFirst<Item extends { readonly severity: Severity }>(
  breaks: readonly Item[],
): Item[] {
  return [...breaks].sort((one, other) => ORDER[one.severity] - ORDER[other.severity]);
}
