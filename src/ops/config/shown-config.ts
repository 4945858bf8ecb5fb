import { secretMask } from '../secret-mask.ts';
import type { Config } from './config.ts';

/** A setting in force, without secrets. */
export interface ShownSetting {
  /** `reconcile.graceSeconds` */
  readonly key: string;
  /** As JSON writes it; of a secret only that it is set. */
  readonly value: string;
}

/** Keys whose values are secrets; a webhook URL ends with a path token. */
const SECRETS: ReadonlySet<string> = new Set([
  'pathTokens',
  'secret',
  'clientSecret',
  'webhookUrl',
  'sha256',
]);

/** Set by people while the daemon runs, and shown where they are in force. */
const ELSEWHERE: ReadonlySet<string> = new Set(['crediting', 'exemptions']);

function secretText(value: unknown): string {
  return Array.isArray(value) ? `${value.length} set, not shown` : 'set, not shown';
}

function settingsIn(key: string, value: unknown): ShownSetting[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ key, value: JSON.stringify(value) }];
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const path = key === '' ? name : `${key}.${name}`;
    if (ELSEWHERE.has(name)) return [];
    if (SECRETS.has(name)) return [{ key: path, value: secretText(member) }];
    return settingsIn(path, member);
  });
}

/**
 * The configuration in force, defaults included, without secrets. The crediting policy and the
 * exemption rules are left out, because people change the policy while the daemon runs.
 */
export function shownConfig(config: Config): ShownSetting[] {
  const { api, store, ...others } = config;
  const where = store.kind === 'postgres' ? { kind: store.kind, replica: store.path } : store;
  const tokens = api.tokens.map(({ name, role }) => `${name} (${role})`);
  const shown = settingsIn('', { ...others, store: where, api: { tokens } });
  const mask = secretMask(config.intake.pathTokens);
  return shown
    .map(({ key, value }) => ({ key, value: mask(value) }))
    .toSorted((left, right) => left.key.localeCompare(right.key, 'en'));
}
