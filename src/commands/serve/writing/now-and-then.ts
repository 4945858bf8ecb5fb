/** A store that opens at once says nothing meanwhile. */
const EVERY_MS = 2_000;

/** Tells of every two seconds what was told last, and never right at the beginning. */
export function nowAndThen<Told extends readonly unknown[]>(
  clock: () => number,
  tell: (...told: Told) => void,
): (...told: Told) => void {
  let toldAt = clock();
  return (...told) => {
    const now = clock();
    if (now - toldAt < EVERY_MS) return;
    toldAt = now;
    tell(...told);
  };
}
