import { z } from 'zod';
import type { Answer } from './call.ts';

/** The five fields of section "Errors", and no other; the time as `Date` writes ISO 8601. */
const errorBody = z.strictObject({
  statusCode: z.int(),
  errorCode: z.string(),
  errorMessage: z.string().min(1),
  timestamp: z.iso.datetime({ precision: 3 }),
  endpoint: z.string(),
});

/**
 * A refusal in one line, `404 NE-1 GET /api/v1/transactions/none`: status, code and endpoint of its
 * body. Anything else (a success, a body without its five fields) says what it is.
 */
export function refusalOf({ status, body }: Answer): string {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return `${status}, no error body: ${JSON.stringify(body)}`;
  const { statusCode, errorCode, endpoint } = parsed.data;
  return statusCode === status
    ? `${status} ${errorCode} ${endpoint}`
    : `${status}, but its body says ${statusCode}`;
}
