import { expect, test } from 'vitest';
import { depthReach } from '../../src/domain/depth.ts';

const REACHES: [required: number, published: number[], override: number | null, is: string][] = [
  [12, [1, 3, 12], null, 'published'],
  [1, [1, 3, 12], 1, 'published'],
  [6, [1, 3, 12], null, 'late, at 12'],
  [2, [1, 3, 12], 3, 'late, at 3'],
  [20, [1, 3, 12], null, 'never, 12 is the deepest'],
  [12, [1, 3, 12], 3, 'never, 3 is the deepest'],
  [6, [1, 3, 12], 3, 'never, 3 is the deepest'],
  [1, [], null, 'never, none is told'],
  [3, [3, 12], 1, 'never, none is told'],
  [0, [1, 3, 12], null, 'published'],
];

test.for(REACHES)(
  'policy %s of published %j under override %s: %s',
  ([required, published, override, is]) => {
    const reach = depthReach(required, { published, override });
    const told = {
      published: () => 'published',
      late: () => `late, at ${reach.kind === 'late' ? reach.reachedAt : ''}`,
      never: () =>
        reach.kind === 'never' && reach.deepest !== null
          ? `never, ${reach.deepest} is the deepest`
          : 'never, none is told',
    }[reach.kind];
    expect(told()).toBe(is);
  },
);
