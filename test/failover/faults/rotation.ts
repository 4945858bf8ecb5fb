import type { Chance } from '../../simulation/seeded-draws.ts';
import type { Fault } from './fault.ts';
import { receiverCut, receiversCut } from './network.ts';
import { followerKilled, ownerKilled, ownerSlept, ownerStopped } from './receivers.ts';
import {
  oldPrimaryReturned,
  primaryKilled,
  primaryPaused,
  standbyCut,
  waitCancelled,
} from './servers.ts';

/** Every fault, by the name that the table shows. */
export const FAULTS = {
  'owner killed': ownerKilled,
  'follower killed': followerKilled,
  'owner slept beyond its lease': ownerSlept,
  'owner stopped (SIGTERM)': ownerStopped,
  'primary killed, standby promoted': primaryKilled,
  'primary stopped (SIGSTOP)': primaryPaused,
  'old primary returned as primary': oldPrimaryReturned,
  'receiver cut off from the primary': receiverCut,
  'receivers cut off from each other': receiversCut,
  'standby cut off from the primary': standbyCut,
  'wait for the standby cancelled': waitCancelled,
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** An endless series of faults: each round has every fault once, in random order. */
export function* rotation(chance: Chance): Generator<FaultName, never> {
  for (;;) {
    const left = [...FAULT_NAMES];
    while (left.length > 0) {
      const name = chance.pick(left);
      left.splice(left.indexOf(name), 1);
      yield name;
    }
  }
}
