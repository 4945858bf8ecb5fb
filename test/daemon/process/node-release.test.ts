import { expect, test } from 'vitest';
import { nodeRefusal } from '../../../src/daemon/process/node-release.ts';

test.for(['20.20.2', '22.23.3', '24.18.0', '26.10.0'])(
  'the program runs under Node %s',
  (release) => {
    expect(nodeRefusal(release)).toBeUndefined();
  },
);

test.for(['24.19.0', '24.21.0'])('Node %s is refused with the release to take', (release) => {
  expect(nodeRefusal(release)).toMatch(/run it with Node 22, then `npm rebuild better-sqlite3`/);
});
