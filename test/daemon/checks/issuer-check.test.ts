import { expect, onTestFinished, test } from 'vitest';
import { checkIssuer } from '../../../src/daemon/checks/issuer-check.ts';
import { CLIENT_ID, startForeignProvider } from '../../simulator/identity/foreign-provider.ts';

function settingsOf(issuer: string) {
  const roles = { treasury: 'finance', all: 'viewer' } as const;
  return { issuer, clientId: CLIENT_ID, groupsClaim: 'groups', scope: 'openid', roles };
}

test('a provider that answers is sound, one that does not is a problem, and none is no check', async () => {
  const provider = await startForeignProvider({ redirectUris: ['http://127.0.0.1/callback'] });
  onTestFinished(() => provider.stop());
  const { issuer, port } = provider;
  expect(await checkIssuer(settingsOf(issuer))).toEqual([
    {
      check: 'sign-in provider',
      status: 'ok',
      detail: `${issuer} answers; groups: treasury (finance), all (viewer)`,
    },
  ]);
  const [other] = await checkIssuer(settingsOf(`http://localhost:${port}`));
  expect([other?.status, other?.detail]).toEqual([
    'problem',
    expect.stringContaining(`The provider http://localhost:${port} did not answer as expected`),
  ]);
  await provider.stop();
  expect((await checkIssuer(settingsOf(issuer))).map(({ status }) => status)).toEqual(['problem']);
  expect(await checkIssuer(undefined)).toEqual([]);
});
