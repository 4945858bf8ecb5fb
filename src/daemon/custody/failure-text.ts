import { accessAdvice } from '../../custody/access.ts';
import type { Failure, UnavailableCause } from '../../custody/call/outcome.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import type { ErrorRecord } from '../../wire/error.ts';

/** The text of a failed custody API call, with advice. */
export function failureText(
  failure: Failure | { kind: 'not-found' },
  config: CustodyConfig,
): string {
  switch (failure.kind) {
    case 'unavailable':
      return unavailableText(failure.cause, config.baseUrl);
    case 'rate-budget':
      return 'the request limit is used up: try again in a minute';
    case 'refused':
      return refusedText(failure.error);
    case 'malformed':
      return `what answers at ${config.baseUrl} is not the custody API (${failure.detail}): check custody.baseUrl`;
    case 'not-found':
      return `nothing is at ${config.baseUrl}: check custody.baseUrl`;
    default:
      return failure satisfies never;
  }
}

function refusedText({ statusCode, errorCode, errorMessage }: ErrorRecord): string {
  const advice = accessAdvice(statusCode);
  return advice === null
    ? `the service refused us: ${errorCode} ${errorMessage}`
    : `the service refused our key (${statusCode}): ${errorCode} ${errorMessage}. ${advice}`;
}

function unavailableText(cause: UnavailableCause, baseUrl: string): string {
  switch (cause.kind) {
    case 'connection':
      return `${baseUrl} cannot be reached (${cause.detail}): check custody.baseUrl and the network`;
    case 'server-error':
      return `${baseUrl} answers ${cause.status}: try again, and ask the custody service if it stays`;
    case 'unrecorded':
      return `nothing was asked, because the request could not be counted (${cause.detail})`;
    case 'circuit-open':
    case 'deadline':
    case 'timeout':
      return `${baseUrl} does not answer (${cause.kind}): check custody.baseUrl and the network`;
    default:
      return cause satisfies never;
  }
}
