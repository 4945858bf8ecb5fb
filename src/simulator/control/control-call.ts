import { z } from '@hono/zod-openapi';

/** What the control calls have in common. */
export const CONTROL_CALL = {
  tag: 'Control',
  credentials: 'none',
  answer: z.unknown(),
} as const;
