import type { ClientRegistry } from '../auth/client.ts';
import type { LoginCodes } from '../auth/login-code.ts';
import type { SessionBook } from '../auth/session.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { World } from '../world/world.ts';
import type { LoginDesk } from '../identity/login-desk.ts';
import type { ServedRows } from './served-rows.ts';

/** What endpoints work on. */
export interface Services {
  readonly world: World;
  readonly delivery: Delivery;
  readonly clients: ClientRegistry;
  readonly sessions: SessionBook;
  readonly loginCodes: LoginCodes;
  readonly loginDesk: LoginDesk;
  readonly served: ServedRows;
  /** Whether a client needs some permission to order transactions. */
  readonly strictPermissions: boolean;
}
