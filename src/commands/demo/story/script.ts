import { BACKGROUND, type Episode, type Stage } from './episodes.ts';
import { healingText, untilHealed } from '../end/healing.ts';
import { systemClock } from '../../../custody/clock.ts';

/** Wait before the first episode, and pause between two episodes. */
const FIRST_MS = 2_500;
const REST_MS = 5_000;

/**
 * Plays traffic and one episode after another. Reports the start of each episode and when
 * everything has healed.
 */
export async function playScript(stage: Stage, episodes: readonly Episode[]): Promise<void> {
  const { traffic, control, over } = stage;
  await control.put('/sim/faults', BACKGROUND);
  await Promise.all([traffic.run(over), playEpisodes(stage, episodes)]);
  await control.put('/sim/faults', {});
}

async function playEpisodes(stage: Stage, episodes: readonly Episode[]): Promise<void> {
  const { over } = stage;
  await systemClock.sleep(FIRST_MS, over);
  for (let number = 0; !over.aborted; number += 1) {
    const play = episodes[number % episodes.length];
    if (play === undefined) return;
    const beganAt = Date.now();
    await play(stage);
    if (over.aborted) return;
    await reportHealing(stage, beganAt);
    await systemClock.sleep(REST_MS, over);
  }
}

async function reportHealing(stage: Stage, beganAt: number): Promise<void> {
  const { access, vaultIds, over, note } = stage;
  const healing = await untilHealed(access.apiOf('admin'), {
    vaultIds,
    over,
    now: Date.now,
    pause: () => systemClock.sleep(1_000, over),
  });
  if (over.aborted) return;
  const seconds = Math.round((Date.now() - beganAt) / 1_000);
  note(healingText(healing, seconds));
}
