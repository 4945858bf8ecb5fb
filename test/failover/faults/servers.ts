import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../e2e/program.ts';
import type { Chance } from '../../simulation/seeded-draws.ts';
import type { Scene } from '../scene/scene.ts';
import type { Suffered } from './fault.ts';
import { duringAppend } from './receivers.ts';

/** Longer than an append waits for its answer. */
const CUT_MS_MAX = 4_500;

/** Cancels waits for the standby until it has cancelled one; it must not follow meanwhile. */
async function cancelOne({ pair }: Scene): Promise<void> {
  await eventually('a commit waits for the standby', async () =>
    (await pair.cancelWaits()) > 0 ? true : undefined,
  );
}

/**
 * kill -9 of the primary; the standby is promoted, and gets a standby. In some runs only the primary
 * holds commits, because their waits for the standby were cancelled.
 */
export async function primaryKilled(scene: Scene, chance: Chance): Promise<Suffered> {
  const { pair, senders } = scene;
  const { followers, server } = pair.primary;
  if (chance.happens(0.3)) {
    followers.stall();
    await cancelOne(scene);
  } else if (chance.happens(0.5)) {
    const { owner } = await scene.roles();
    await duringAppend(owner, 'pass');
  }
  const killed = server.kill();
  const serving = senders.probe();
  await killed;
  followers.cut();
  await pair.promote();
  followers.open();
  await pair.rebuildStandby();
  return { serveMs: await serving, problems: [] };
}

/** The network between primary and standby stalls or breaks: nothing new may be acknowledged. */
export async function standbyCut(scene: Scene, chance: Chance): Promise<Suffered> {
  const { followers } = scene.pair.primary;
  if (chance.happens(0.5)) followers.stall();
  else followers.cut();
  return inSilence(scene, () => pause(chance.between(200, CUT_MS_MAX)));
}

/** Waits for the standby are cancelled: their outcome is unknown, and nobody acknowledges them. */
export async function waitCancelled(scene: Scene, chance: Chance): Promise<Suffered> {
  scene.pair.primary.followers.stall();
  return inSilence(scene, async () => {
    for (let left = chance.between(1, 3); left > 0; left -= 1) await cancelOne(scene);
    await pause(chance.between(0, 500));
  });
}

/** Something happens while the standby hears nothing; then the network carries everything again. */
async function inSilence(scene: Scene, happens: () => Promise<void>): Promise<Suffered> {
  const { pair, senders } = scene;
  senders.beginSilence();
  const startedAt = performance.now();
  const serving = senders.probe();
  await happens();
  const { sent, acknowledged } = senders.endSilence();
  const silentMs = performance.now() - startedAt;
  pair.primary.followers.open();
  const problems = acknowledged.map((id) => `${id} was acknowledged without the standby`);
  if (sent === 0) problems.push('nothing was sent while the standby was cut off');
  return { serveMs: (await serving) - silentMs, problems };
}
