import {
  IdentityProvider,
  type ProviderSettings,
} from '../../console/session/identity-provider.ts';
import { ok, problem, type Diagnosis } from './diagnosis.ts';

/** Checks that the provider at which people sign in answers as the configured issuer. */
export async function checkIssuer(settings: ProviderSettings | undefined): Promise<Diagnosis[]> {
  if (settings === undefined) return [];
  const check = 'sign-in provider';
  const answer = await new IdentityProvider(settings).check();
  if (answer.kind !== 'ok') return [problem(check, answer.detail)];
  const groups = Object.entries(settings.roles).map(([group, role]) => `${group} (${role})`);
  return [ok(check, `${settings.issuer} answers; groups: ${groups.join(', ')}`)];
}
