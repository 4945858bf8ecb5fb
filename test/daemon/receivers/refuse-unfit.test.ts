import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { refuseUnfit } from '../../../src/daemon/receivers/refuse-unfit.ts';

test('a receiver whose replica is unfit answers for its health, and to other receivers, alone', async () => {
  let cause: string | null = 'this replica does not hold the whole journal yet';
  const app = new Hono()
    .use(
      '*',
      refuseUnfit(() => cause),
    )
    .all('*', (context) => context.text('answered'));
  const answers = async (paths: readonly string[]): Promise<string[]> =>
    Promise.all(paths.map(async (path) => (await app.request(path)).text()));
  const open = ['/healthz', '/readyz', '/metrics', '/receivers/facts'];
  const closed = ['/v1/credits', '/console', '/docs', '/receivers'];
  expect(await answers(open)).toEqual(open.map(() => 'answered'));
  expect(await answers(closed)).toEqual(closed.map(() => cause));
  expect((await app.request('/v1/credits')).status).toBe(503);
  cause = null;
  expect(await answers(closed)).toEqual(closed.map(() => 'answered'));
});
