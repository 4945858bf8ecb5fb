import type { ClientRegistry } from '../auth/client.ts';
import type { LoginCodes } from '../auth/login-code.ts';
import type { SessionBook } from '../auth/session.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { World } from '../world/world.ts';
import type { LoginFlow } from '../identity/login-flow.ts';
import type { ServedRows } from './request/served-rows.ts';

/** The services that the endpoints use. */
export interface Services {
  readonly world: World;
  readonly delivery: Delivery;
  readonly clients: ClientRegistry;
  readonly sessions: SessionBook;
  readonly loginCodes: LoginCodes;
  readonly loginFlow: LoginFlow;
  readonly served: ServedRows;
  /** Whether a client needs at least one permission to order transactions. */
  readonly strictPermissions: boolean;
}
