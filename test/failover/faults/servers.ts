import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../e2e/program.ts';
import type { Chance } from '../../simulation/seeded-draws.ts';
import type { Scene } from '../scene/scene.ts';
import type { Suffered } from './fault.ts';
import { duringAppend } from './receivers.ts';

/** Longer than an append waits for its answer. */
const CUT_MS_MAX = 4_500;
/** Long enough for receivers to connect to the returned primary, and to write there. */
const RETURNED_MS_MAX = 8_000;

/** Cancels waits for the standby until one was cancelled. The standby must not follow meanwhile. */
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
  return inSilence(scene, {
    happens: () => pause(chance.between(200, CUT_MS_MAX)),
    mend: async () => followers.open(),
  });
}

/** Waits for the standby are cancelled: their outcome is unknown, and nobody acknowledges them. */
export async function waitCancelled(scene: Scene, chance: Chance): Promise<Suffered> {
  const { followers } = scene.pair.primary;
  followers.stall();
  return inSilence(scene, {
    happens: async () => {
      for (let left = chance.between(1, 3); left > 0; left -= 1) await cancelOne(scene);
      await pause(chance.between(0, 500));
    },
    mend: async () => followers.open(),
  });
}

/** SIGSTOP of every process of the primary: nothing new may be acknowledged until it goes on. */
export async function primaryPaused(scene: Scene, chance: Chance): Promise<Suffered> {
  const { server } = scene.pair.primary;
  server.pause();
  return inSilence(scene, {
    happens: () => pause(chance.between(200, CUT_MS_MAX)),
    mend: async () => server.resume(),
  });
}

/**
 * The primary dies or sleeps, the standby is promoted, and the old primary comes back as a primary:
 * each receiver may write to either of the two, and neither has a standby. In some runs the old one
 * keeps what nobody confirmed. Then it becomes the standby of the new one.
 */
export async function oldPrimaryReturned(scene: Scene, chance: Chance): Promise<Suffered> {
  const { pair } = scene;
  const old = pair.primary;
  const isPaused = chance.happens(0.5);
  if (isPaused) old.server.pause();
  else await old.server.kill();
  old.followers.cut();
  return inSilence(scene, {
    happens: async () => {
      await pair.promote();
      if (isPaused) old.server.resume();
      else await old.server.start();
      await pause(chance.between(500, RETURNED_MS_MAX));
      if (chance.happens(0.5)) await pair.cancelWaits(old);
      await pause(chance.between(0, 1_000));
    },
    mend: async () => {
      await old.server.kill();
      old.followers.open();
      await pair.rebuildStandby();
    },
  });
}

/** Runs a fault during which nothing new may be acknowledged, then ends it. */
async function inSilence(
  scene: Scene,
  { happens, mend }: { readonly happens: () => Promise<void>; readonly mend: () => Promise<void> },
): Promise<Suffered> {
  const { senders } = scene;
  senders.beginSilence();
  const startedAt = performance.now();
  const serving = senders.probe();
  await happens();
  const { sent, acknowledged } = senders.endSilence();
  const silentMs = performance.now() - startedAt;
  await mend();
  const problems = acknowledged.map((id) => `${id} was acknowledged without the standby`);
  if (sent === 0) problems.push('nothing was sent in the silence');
  return { serveMs: (await serving) - silentMs, problems };
}
