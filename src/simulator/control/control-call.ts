import { z } from '@hono/zod-openapi';
import { NOTHING } from '../api/endpoint.ts';

/** What the control calls have in common. */
export const CONTROL_CALL = {
  tag: 'Control',
  credentials: 'none',
  params: NOTHING,
  answer: z.unknown(),
} as const;
