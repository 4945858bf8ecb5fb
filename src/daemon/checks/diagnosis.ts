/** The result of one check. `problem` sets exit code 1; `warning` does not. */
export interface Diagnosis {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  /** The finding, with advice unless the level is `ok`. */
  readonly detail: string;
}

/** The result of a check that found no problem. */
export function ok(check: string, detail: string): Diagnosis {
  return { check, status: 'ok', detail };
}

/** The result of a check that found a risk: the daemon can run. */
export function warning(check: string, detail: string): Diagnosis {
  return { check, status: 'warning', detail };
}

/** The result of a check that found a problem, with the next step in `detail`. */
export function problem(check: string, detail: string): Diagnosis {
  return { check, status: 'problem', detail };
}
