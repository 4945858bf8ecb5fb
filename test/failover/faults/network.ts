import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../simulation/seeded-draws.ts';
import type { Scene } from '../scene/scene.ts';
import type { Suffered } from './fault.ts';
import { duringAppend } from './receivers.ts';

/** Longer than a lease, and longer than an append waits for its answer. */
const CUT_MS_MAX = 5_000;
/** Longer than a follower that is shut out counts as ready. */
const SHUT_OUT_MS_MAX = 14_000;

/**
 * The network between a receiver and the database stalls or breaks; the owner's within an append,
 * before the statement arrives or before its answer does.
 */
export async function receiverCut(scene: Scene, chance: Chance): Promise<Suffered> {
  const { owner, follower } = await scene.roles();
  const then = chance.pick(['stall', 'lost', 'answer_lost'] as const);
  const cutOff = chance.happens(0.7) ? owner : follower;
  if (cutOff === owner) await duringAppend(owner, then);
  if (then === 'stall') cutOff.stall();
  else cutOff.cut();
  const serving = scene.senders.probe();
  // Half of the breaks are short: the next connection succeeds.
  if (then === 'stall' || chance.happens(0.5)) await pause(chance.between(100, CUT_MS_MAX));
  cutOff.reconnect();
  return { serveMs: await serving, problems: [] };
}

/** The network between the receivers stalls or breaks: the follower cannot hand over anything. */
export async function receiversCut(scene: Scene, chance: Chance): Promise<Suffered> {
  const { owner } = await scene.roles();
  owner.shutOthersOut(chance.pick(['stall', 'cut'] as const));
  const serveMs = await scene.senders.probe();
  await pause(chance.between(200, SHUT_OUT_MS_MAX));
  owner.letOthersIn();
  return { serveMs, problems: [] };
}
