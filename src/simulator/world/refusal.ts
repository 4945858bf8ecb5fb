import type { Refused } from './world.ts';

/** Makes a refusal with the service's error code (the specification, section "Errors"). */
export function refused(code: Refused['code'], message: string): Refused {
  return { kind: 'refused', code, message };
}
