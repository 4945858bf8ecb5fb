import type { ClientRegistry } from '../auth/client.ts';
import type { Clock, RealClock, VirtualClock } from '../clock.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { World } from '../world/world.ts';
import type { FaultSwitch } from './fault-switch.ts';

/** The services that the control calls use. */
export interface ControlServices {
  readonly world: World;
  readonly delivery: Delivery;
  readonly clients: ClientRegistry;
  readonly mailbox: Mailbox;
  readonly faults: FaultSwitch;
  readonly clock: Clock;
  /** Set only on virtual time. */
  readonly virtualClock: VirtualClock | undefined;
  /** Set only on real time. */
  readonly realClock: RealClock | undefined;
  readonly snapshots: Snapshots;
}

/**
 * Snapshots of the whole state by id. A restore ends all running work and continues from the stored
 * rows.
 */
export interface Snapshots {
  take(): string;
  /** The kept snapshots, oldest first, with the core's time of each in Unix epoch milliseconds. */
  list(): { snapshotId: string; now: number }[];
  /** Restores a snapshot; false for an unknown id. */
  restore(snapshotId: string): Promise<boolean>;
  /** Restores the state right after the start. */
  reset(): Promise<void>;
}
