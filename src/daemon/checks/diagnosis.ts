/** The result of one check. `problem` sets exit code 1; `warning` does not. */
export interface Diagnosis {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  /** The finding, with advice unless the level is `ok`. */
  readonly detail: string;
}

export function ok(check: string, detail: string): Diagnosis {
  return { check, status: 'ok', detail };
}

export function warning(check: string, detail: string): Diagnosis {
  return { check, status: 'warning', detail };
}

export function problem(check: string, detail: string): Diagnosis {
  return { check, status: 'problem', detail };
}
