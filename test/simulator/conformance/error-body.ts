import { z } from 'zod';
import type { Answer } from '../call.ts';

/**
 * The five fields of an error body (the specification, section "Errors") and no other. The time is
 * in the ISO 8601 form of `Date`.
 */
const errorBody = z.strictObject({
  statusCode: z.int(),
  errorCode: z.string(),
  errorMessage: z.string().min(1),
  timestamp: z.iso.datetime({ precision: 3 }),
  endpoint: z.string(),
});

/**
 * A refusal in one line, `404 NE-1 GET /api/v1/transactions/none`: the status, code and endpoint of
 * its body. For any other answer the line describes the answer.
 */
export function refusalOf({ status, body }: Answer): string {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return `${status}, no error body: ${JSON.stringify(body)}`;
  const { statusCode, errorCode, endpoint } = parsed.data;
  return statusCode === status
    ? `${status} ${errorCode} ${endpoint}`
    : `${status}, but its body says ${statusCode}`;
}
