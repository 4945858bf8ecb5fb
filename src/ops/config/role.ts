import { z } from 'zod';
import type { Role } from '../../domain/access/role.ts';

/** The role of a token or of a provider's group. */
export const role = z.enum(
  {
    viewer: 'viewer',
    crediting: 'crediting',
    finance: 'finance',
    operator: 'operator',
    admin: 'admin',
    auditor: 'auditor',
  } as const satisfies { [Known in Role]: Known },
  'must be one of viewer, crediting, finance, operator, admin, auditor',
);
