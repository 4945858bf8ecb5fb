/** One thing that was looked at. `problem` makes the doctor's exit code 1; `warning` does not. */
export interface Diagnosis {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  /** What is so, and for anything but `ok` what to do. */
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
