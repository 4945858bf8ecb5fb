/** A replica that last held the whole journal longer ago is not level: it sleeps, or cannot keep up. */
const LEVEL_MS_MAX = 10_000;

/** How old what a replica shows may be. Times are milliseconds on one monotonic clock. */
export class ReplicaAge {
  /** When the replica last held the whole journal. Before the first time, and while cut off: never. */
  #levelAt = -Infinity;
  /** Whether the last step left commits to the next one. */
  #isBehind = true;
  /** Where the journal ended at a time; null when the replica has reached that. */
  #target: { readonly commitNumber: number; readonly asked: number } | null = null;

  isLevel(now: number): boolean {
    return now - this.#levelAt <= LEVEL_MS_MAX;
  }

  /** Whether a step must first ask where the journal ends. */
  get needsTarget(): boolean {
    return this.#isBehind && this.#target === null;
  }

  /** The journal ended there at a time. */
  aim(commitNumber: number, asked: number): void {
    this.#target = { commitNumber, asked };
  }

  /**
   * A step that began at a time has brought the replica to a commit. While others append, the replica
   * may never lack nothing: it was level when the journal ended where the replica has arrived now.
   */
  followed(
    commitNumber: number,
    step: { readonly began: number; readonly lacksNone: boolean },
  ): void {
    this.#isBehind = !step.lacksNone;
    if (step.lacksNone) this.level(step.began);
    else if (this.#target !== null && commitNumber >= this.#target.commitNumber) {
      this.level(this.#target.asked);
    }
  }

  /** The replica held the whole journal at a time. */
  level(at: number): void {
    this.#levelAt = at;
    this.#target = null;
  }

  /** The journal cannot be followed. */
  cutOff(): void {
    this.#levelAt = -Infinity;
    this.#isBehind = true;
    this.#target = null;
  }
}
