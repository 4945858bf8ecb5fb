/** A section of the navigation. */
export interface Section {
  readonly name: string;
  readonly path: string;
  /** The key that follows `g` to open it. */
  readonly key: string;
}
