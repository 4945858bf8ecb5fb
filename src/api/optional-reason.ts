import { z } from '@hono/zod-openapi';
import { reasonText } from './exchange/decision.ts';

/** The body of a call that may be sent without one: a reason, which the journal keeps. */
export const optionalReason = {
  required: false,
  content: {
    'application/json': {
      schema: z.strictObject({ reason: reasonText.optional() }).openapi('OptionalReason'),
    },
  },
} as const;
