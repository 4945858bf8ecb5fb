import { expect, test } from 'vitest';
import { consoleUnderTest, PUBLIC, words } from '../console-under-test.ts';

const PATH = '/console/settings';

test('an operator reads the checks, warnings first, and the settings', async () => {
  const console = await consoleUnderTest();
  const page = words(await (await console.as('olga')).get(PATH));
  expect(page).toMatch(/warning clock a fact lies in the future ok store it accepts writes/);
  expect(page).toContain('reconcile.graceSeconds 600');
});

test.for(['vera', 'chris'] as const)(
  '%s may not read the settings, and learns who may',
  async (as) => {
    const console = await consoleUnderTest();
    const answer = await (await console.as(as)).request(PATH);
    expect(answer.status).toBe(403);
    const page = words(await answer.text());
    expect(page).toMatch(
      /Your role does not allow this Only the roles operator, admin and auditor may read the settings/,
    );
    expect(page).not.toContain('graceSeconds');
    expect((await console.api.get('/v1/settings', as)).status).toBe(403);
  },
);

test('a stranger in a public console is asked to sign in, and hears nothing of a role', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const answer = await stranger.request(PATH);
  const page = words(await answer.text());
  expect([answer.status, page]).toEqual([403, expect.stringContaining('Nobody is signed in')]);
  expect(page).toContain('Sign in, and open the page again.');
  expect(page).not.toContain('Your role');
});
