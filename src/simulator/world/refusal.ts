import type { Refused } from './world.ts';

/** An expected refusal, with the service's error code. */
export function refused(code: Refused['code'], message: string): Refused {
  return { kind: 'refused', code, message };
}
