import { expect, test } from 'vitest';
import { startCaller } from '../core-caller.ts';

test('without a rate limit the 1,001st call of a standing clock is answered', async () => {
  const caller = await startCaller({ rateLimit: false });
  try {
    for (let call = 0; call < 1_001; call += 1) {
      const { status, headers } = await caller.api('GET', '/networks?pageSize=1');
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
    const unknown = await caller.api('GET', '/nothing');
    expect([unknown.status, unknown.headers.get('x-ratelimit-limit')]).toEqual([404, null]);
  } finally {
    await caller.stop();
  }
});
