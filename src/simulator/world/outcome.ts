import type { ErrorCode } from '../../wire/error.ts';

export interface Refused {
  kind: 'refused';
  /** `AU-1` from the world always means 403. */
  code: ErrorCode;
  message: string;
}

export type Creation<R> =
  { kind: 'created'; record: R } | { kind: 'existing'; record: R } | Refused;

export type Change<R> = { kind: 'done'; record: R } | Refused;

/** Makes a refusal with the service's error code (the specification, section "Errors"). */
export function refused(code: Refused['code'], message: string): Refused {
  return { kind: 'refused', code, message };
}
