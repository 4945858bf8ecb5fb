/** How long a caller waits until this replica shows what the owner has kept. */
const APPLIED_MS_MAX = 5_000;

/** The last journal position in this receiver's replica, and those who wait for one. */
export class ReplicaPosition {
  #position = 0;
  #waiters: { readonly position: number; readonly reached: () => void }[] = [];

  get position(): number {
    return this.#position;
  }

  /** The replica has grown to a position. */
  reach(position: number): void {
    this.#position = Math.max(this.#position, position);
    const ready = this.#waiters.filter((one) => one.position <= this.#position);
    this.#waiters = this.#waiters.filter((one) => one.position > this.#position);
    for (const { reached } of ready) reached();
  }

  /** Resolves when the replica holds a position, or after `msMax`: whether it holds the position. */
  waitFor(position: number, msMax = APPLIED_MS_MAX): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((one) => one !== waits);
        resolve(false);
      }, msMax);
      const reached = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const waits = { position, reached };
      this.#waiters.push(waits);
    });
  }
}
