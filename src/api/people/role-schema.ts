import { z } from '@hono/zod-openapi';
import type { Role } from '../../domain/access/role.ts';

/** A role, as requests and answers name it. */
export const roleSchema = z.enum({
  viewer: 'viewer',
  crediting: 'crediting',
  finance: 'finance',
  operator: 'operator',
  admin: 'admin',
  auditor: 'auditor',
} as const satisfies { [Known in Role]: Known });
