import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../simulation/seeded-draws.ts';
import type { FailoverReceiver } from '../scene/receiver.ts';
import type { Suffered } from './fault.ts';
import type { Scene } from '../scene/scene.ts';

/** How long a fault waits for a statement to pass: traffic is steady. */
const STATEMENT_MS_MAX = 2_000;
/** Lines of a receiver's log in the text of a problem. */
const LINES_MAX = 8;

/** Resolves when the owner's next append is under way, or none comes. */
export async function duringAppend(
  { link }: FailoverReceiver,
  then: Parameters<FailoverReceiver['link']['atStatement']>[1],
): Promise<void> {
  const none = new AbortController();
  const nothing = pause(STATEMENT_MS_MAX, undefined, { signal: none.signal }).catch(
    () => undefined,
  );
  await Promise.race([link.atStatement('append', then), nothing]);
  none.abort();
  link.unwatch();
}

/** kill -9 of the owner, during an append or not; it starts again at once, or after the takeover. */
export async function ownerKilled(scene: Scene, chance: Chance): Promise<Suffered> {
  const { owner } = await scene.roles();
  if (chance.happens(0.5)) await duringAppend(owner, 'pass');
  const killed = owner.daemon.end('SIGKILL');
  const serving = scene.senders.probe();
  await killed;
  if (chance.happens(0.5)) await serving;
  await owner.daemon.start();
  return { serveMs: await serving, problems: [] };
}

export async function followerKilled(scene: Scene): Promise<Suffered> {
  const { follower } = await scene.roles();
  const killed = follower.daemon.end('SIGKILL');
  const serving = scene.senders.probe();
  await killed;
  await follower.daemon.start();
  return { serveMs: await serving, problems: [] };
}

/**
 * The owner sleeps inside an append until the other receiver has taken over, then wakes. The append
 * has arrived before, or arrives when the owner wakes.
 */
export async function ownerSlept(scene: Scene, chance: Chance): Promise<Suffered> {
  const { owner } = await scene.roles();
  await duringAppend(owner, chance.happens(0.5) ? 'stall' : 'pass');
  owner.pause();
  const serveMs = await scene.senders.probe();
  await pause(chance.between(0, 500));
  const isLate = chance.happens(0.5);
  if (!isLate) owner.reconnect();
  owner.wake();
  await pause(chance.between(0, 100));
  owner.reconnect();
  return { serveMs, problems: [] };
}

/** SIGTERM of the owner: it hands over and ends with code 0. */
export async function ownerStopped(scene: Scene): Promise<Suffered> {
  const { owner } = await scene.roles();
  const ended = owner.daemon.end('SIGTERM');
  const serveMs = await scene.senders.probe();
  const code = await ended;
  const said = owner.daemon.stderr();
  await owner.daemon.start();
  if (code === 0) return { serveMs, problems: [] };
  const steps = said.split('\n').filter((line) => line.startsWith('shutdown: '));
  const why = [...steps, ...said.trimEnd().split('\n').slice(-LINES_MAX)];
  return {
    serveMs,
    problems: [`receiver ${owner.name} ended with code ${code}: ${why.join(' ')}`],
  };
}
