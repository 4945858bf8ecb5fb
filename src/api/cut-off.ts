import type { IncomingMessage } from 'node:http';

/** The request as Node's server has it; absent for a call from inside the process. */
export interface Incoming {
  readonly incoming?: Pick<IncomingMessage, 'destroyed' | 'complete'>;
}

/**
 * Whether the caller left before its body was complete. Then reading the body fails, which is no
 * defect, and nobody reads the answer.
 */
export function isCutOff(env: Incoming | undefined): boolean {
  return env?.incoming?.destroyed === true && !env.incoming.complete;
}
