/** A priority queue: `pop` returns the item that is `before` all others. */
export class Heap<Item> {
  #items: Item[] = [];
  readonly #before: (left: Item, right: Item) => boolean;

  constructor(before: (left: Item, right: Item) => boolean) {
    this.#before = before;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    let index = this.#items.length;
    this.#items.push(item);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex];
      if (parent === undefined || !this.#before(item, parent)) break;
      this.#items[index] = parent;
      this.#items[parentIndex] = item;
      index = parentIndex;
    }
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  #sink(item: Item): void {
    let index = 0;
    for (;;) {
      const leftIndex = 2 * index + 1;
      const left = this.#items[leftIndex];
      if (left === undefined) break;
      const right = this.#items[leftIndex + 1];
      const [child, childIndex]: [Item, number] =
        right !== undefined && this.#before(right, left)
          ? [right, leftIndex + 1]
          : [left, leftIndex];
      if (!this.#before(child, item)) break;
      this.#items[index] = child;
      index = childIndex;
    }
    this.#items[index] = item;
  }
}
