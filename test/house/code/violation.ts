/** A house rule that a file breaks, and where. `line` is 1-based. */
export interface Violation<Rule extends string = string> {
  readonly rule: Rule;
  readonly path: string;
  readonly line: number;
  readonly detail: string;
}

/** `path:line rule: detail`, as an editor can follow it. */
export function spoken({ rule, path, line, detail }: Violation): string {
  return `${path}:${line} ${rule}: ${detail}`;
}
