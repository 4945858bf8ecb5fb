import { z } from '@hono/zod-openapi';
import { reasonText } from './exchange/decision.ts';
import { optionalBody } from './formats.ts';

/** The body of a call that may be sent without one: a reason, which the journal keeps. */
export const optionalReason = optionalBody(
  z.strictObject({ reason: reasonText.optional() }).openapi('OptionalReason'),
);
