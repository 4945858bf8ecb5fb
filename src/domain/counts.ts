/** Adds to the count of a key, which begins at nothing. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
