import { expect } from 'vitest';
import type { Answer } from './stage.ts';

/** Milliseconds and `Z`, as `Date` writes it. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * A refusal has this status and exactly the five fields of the error body (section "Errors");
 * `endpoint` is `<METHOD> <path>` with the prefix.
 */
export function expectRefusal(
  answer: Answer,
  status: number,
  errorCode: string,
  endpoint: string,
): void {
  const { status: given, body } = answer;
  expect({ status: given, ...body }).toEqual({
    status,
    statusCode: status,
    errorCode,
    errorMessage: expect.stringMatching(/./),
    timestamp: expect.stringMatching(ISO_8601),
    endpoint,
  });
}
