/** Groups items by key, in order of first appearance. Leaves out items without a key. */
export function groupedBy<Item, Key extends string>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | null,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}
