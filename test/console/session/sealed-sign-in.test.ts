import { expect, test } from 'vitest';
import { SIGN_IN_SECONDS, SignInSeal } from '../../../src/console/session/sealed-sign-in.ts';
import { signInProvider } from '../../../src/daemon/start/sign-in-provider.ts';

const PENDING = {
  state: 's',
  nonce: 'n',
  codeVerifier: 'v',
  redirectUri: 'https://books.test/console/session/callback',
  next: '/console/deposits',
};
const SECRET = 'a'.repeat(32);
const NOW = 1_763_600_000_000;

function sealOf(sharedSecret?: string, now = NOW): SignInSeal {
  return new SignInSeal({ now: () => now, sharedSecret });
}

test.for<[string, string | undefined, string | undefined, boolean]>([
  ['the same secret', SECRET, SECRET, true],
  ['another secret', SECRET, 'b'.repeat(32), false],
  ['a secret here alone', SECRET, undefined, false],
  ['no secret', undefined, undefined, false],
])('a receiver with %s opens a sign-in of another receiver: %#', async ([, here, there, opens]) => {
  const sealed = await sealOf(here).seal(PENDING);
  expect(await sealOf(there).open(sealed)).toEqual(opens ? PENDING : undefined);
});

test('a sign-in is open for ten minutes, and at one receiver needs no secret', async () => {
  const seal = sealOf();
  const sealed = await seal.seal(PENDING);
  expect(await seal.open(sealed)).toEqual(PENDING);
  const shared = await sealOf(SECRET).seal(PENDING);
  const late = sealOf(SECRET, NOW + (SIGN_IN_SECONDS + 1) * 1_000);
  expect(await late.open(shared)).toBeUndefined();
});

test('the daemon gives the provider the receivers’ secret', () => {
  const oidc = {
    issuer: 'https://login.test',
    clientId: 'counterfoil',
    groupsClaim: 'groups',
    scope: 'openid',
    roles: { treasury: 'finance' as const },
  };
  const console = { public: false, idleMinutes: 30, oidc };
  const receiver = {
    name: 'a',
    url: 'https://a.test',
    secret: SECRET,
    replica: '/tmp/a.db',
    leaseSeconds: 3,
    standby: 'required' as const,
  };
  expect(signInProvider({ console, receiver })?.sharedSecret).toBe(SECRET);
  expect(signInProvider({ console })?.sharedSecret).toBeUndefined();
  expect(signInProvider({ console: { public: false, idleMinutes: 30 }, receiver })).toBeUndefined();
});
