import type { ProviderSettings } from '../../console/session/identity-provider.ts';
import type { Config } from '../../ops/config/config.ts';

/** The provider at which people sign in, with the secret that several receivers share. */
export function signInProvider({
  console: { oidc },
  receiver,
}: Pick<Config, 'console' | 'receiver'>): ProviderSettings | undefined {
  if (oidc === undefined) return undefined;
  return receiver === undefined ? oidc : { ...oidc, sharedSecret: receiver.secret };
}
