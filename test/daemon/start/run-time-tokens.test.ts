import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { TokenBook } from '../../../src/api/people/token-book.ts';
import { tokenFollower } from '../../../src/daemon/start/run-time-tokens.ts';
import { createLog } from '../../../src/ops/log.ts';
import type { TokenChangeRow } from '../../../src/store/records.ts';

const SECRET = 'token-of-carl-0123456789abcdef';

function changeOf(seq: number, sha256: string | null): TokenChangeRow {
  return {
    seq,
    name: 'carl',
    role: 'operator',
    sha256,
    actor: 'ada',
    reason: 'asked',
    changedAt: seq,
  };
}

const MADE = changeOf(1, createHash('sha256').update(SECRET).digest('hex'));
const REVOKED = changeOf(2, null);

/** A follower whose book knows a token that was revoked meanwhile, and whose reads may fail. */
function followerOf(given: { failures: number; stopping?: boolean }) {
  const tokens = new TokenBook({ configured: [], now: () => 0 });
  tokens.take([MADE]);
  const failed: string[] = [];
  const lifecycle = { stopping: given.stopping ?? false };
  let { failures } = given;
  let reads = 0;
  const follow = tokenFollower({
    tokens,
    lifecycle,
    log: createLog({ level: 'error', destination: { write: (line) => void failed.push(line) } }),
    reads: {
      tokenChanges: () => {
        reads += 1;
        failures -= 1;
        if (failures >= 0) return Promise.reject(new Error('disk I/O error'));
        return Promise.resolve([MADE, REVOKED]);
      },
    },
    pause: () => Promise.resolve(),
  });
  return { tokens, follow, failed, reads: () => reads };
}

test('a token that was revoked ends although the first readings of the change fail', async () => {
  const { tokens, follow, failed } = followerOf({ failures: 2 });
  expect(tokens.identify(SECRET)).toEqual({ name: 'carl', role: 'operator' });
  follow();
  await expect.poll(() => tokens.identify(SECRET)).toBeUndefined();
  expect(failed).toHaveLength(2);
  expect(failed[0]).toContain('a token that was revoked may still be valid here. Retrying');
});

test('a change during a failed reading is read too', async () => {
  const { tokens, follow, reads } = followerOf({ failures: 1 });
  follow();
  follow();
  await expect.poll(() => tokens.identify(SECRET)).toBeUndefined();
  await expect.poll(reads).toBe(3);
});

test('a reading that fails while the daemon stops is neither logged nor repeated', async () => {
  const { follow, failed, reads } = followerOf({ failures: 9, stopping: true });
  follow();
  await expect.poll(reads).toBe(1);
  await Promise.resolve();
  expect([reads(), failed]).toEqual([1, []]);
});
