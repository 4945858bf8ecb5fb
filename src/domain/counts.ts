/** Adds to the count of a key; a missing key counts 0. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
