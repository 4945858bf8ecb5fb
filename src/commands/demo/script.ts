import { BACKGROUND, EPISODES, type Stage } from './episodes.ts';
import { untilHealed } from './healing.ts';
import { pause } from './traffic.ts';

/** Before the first episode, and between the end of one and the beginning of the next. */
const FIRST_MS = 2_500;
const REST_MS = 5_000;

/**
 * The demo's course: calm traffic, and one episode after another, each told when it begins and when
 * everything has healed.
 */
export async function playScript(stage: Stage): Promise<void> {
  const { traffic, control, over } = stage;
  await control.put('/sim/faults', BACKGROUND);
  await Promise.all([traffic.run(over), playEpisodes(stage)]);
  await control.put('/sim/faults', {});
}

async function playEpisodes(stage: Stage): Promise<void> {
  const { over } = stage;
  await pause(FIRST_MS, over);
  for (let number = 0; !over.aborted; number += 1) {
    const play = EPISODES[number % EPISODES.length];
    if (play === undefined) return;
    const beganAt = Date.now();
    await play(stage);
    if (over.aborted) return;
    await tellHealing(stage, beganAt);
    await pause(REST_MS, over);
  }
}

async function tellHealing(stage: Stage, beganAt: number): Promise<void> {
  const { product, vaultIds, over, note } = stage;
  const open = await untilHealed(product.apiOf('admin'), {
    vaultIds,
    over,
    now: Date.now,
    pause: () => pause(1_000, over),
  });
  if (over.aborted) return;
  const seconds = Math.round((Date.now() - beganAt) / 1_000);
  note(
    open.length === 0
      ? `healed ${seconds} s after it began: no break is open but those for a person`
      : `not healed ${seconds} s after it began: ${open.join(', ')}`,
  );
}
