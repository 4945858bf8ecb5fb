import type { ClientRegistry } from '../auth/client.ts';
import type { Clock, VirtualClock } from '../clock.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { World } from '../world/world.ts';
import type { FaultSwitch } from './fault-switch.ts';

/** What the control calls work on. */
export interface ControlServices {
  readonly world: World;
  readonly delivery: Delivery;
  readonly clients: ClientRegistry;
  readonly mailbox: Mailbox;
  readonly faults: FaultSwitch;
  readonly clock: Clock;
  /** Set when the core runs on virtual time. */
  readonly virtualClock: VirtualClock | undefined;
  readonly snapshots: Snapshots;
}

/** Whole states by id; a restore ends whatever is under way and takes it up from the records. */
export interface Snapshots {
  take(): string;
  /** False for an unknown id. */
  restore(snapshotId: string): Promise<boolean>;
  /** Back to the state right after the start. */
  reset(): Promise<void>;
}
