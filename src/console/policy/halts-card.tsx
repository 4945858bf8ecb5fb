import { isHalted, scopeText, type HaltScope } from '../../domain/policy/halt.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import { networkOf } from '../../domain/policy/unknown-names.ts';
import { AssetId, NetworkKey } from '../../domain/ids.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { FilterForm } from '../../pages/parts/form/filter-form.tsx';
import type { Markup } from '../../pages/parts/markup.ts';

export const POLICY_PATH = '/console/policy';

/** A page shows so many switches of assets that are not halted; a filter finds the others. */
const ASSETS_MAX = 40;

/** Everything that can be halted, by its name; a switch keeps its position when it is set. */
function scopesOf(
  policy: CreditingPolicy,
  assets: readonly string[],
  find: string,
): readonly HaltScope[] {
  const known = [...new Set([...Object.keys(policy.assets), ...assets])].sort();
  const networks = [...new Set([...Object.keys(policy.networks), ...known.map(networkOf)])].sort();
  const found = known
    .filter((asset) => asset.toLowerCase().includes(find.toLowerCase()))
    .slice(0, ASSETS_MAX);
  const isHaltedAsset = (name: string): boolean =>
    isHalted(policy, { kind: 'asset', asset: AssetId(name) });
  const shown = known.filter((asset) => found.includes(asset) || isHaltedAsset(asset));
  return [
    { kind: 'everything' },
    ...networks.map((name) => ({ kind: 'network', network: NetworkKey(name) }) as const),
    ...shown.map((name) => ({ kind: 'asset', asset: AssetId(name) }) as const),
  ];
}

/** The members of the API's body that name a scope. */
function namesOf(scope: HaltScope): Record<string, string> {
  switch (scope.kind) {
    case 'everything':
      return {};
    case 'network':
      return { network: scope.network };
    case 'asset':
      return { asset: scope.asset };
    default:
      return scope satisfies never;
  }
}

/** Why a name of the policy may be misspelt, as the API warns; null: it does not. */
export function nameWarning(scope: HaltScope, warnings: readonly string[]): string | null {
  if (scope.kind === 'everything') return null;
  const path =
    scope.kind === 'network' ? `networks.${scope.network}: ` : `assets["${scope.asset}"]: `;
  const found = warnings.find((one) => one.startsWith(path));
  if (found === undefined) return null;
  const why = found.slice(path.length);
  return why.endsWith('?') ? why : `${why}.`;
}

function Switch(shown: {
  scope: HaltScope;
  halted: boolean;
  /** Why the name may be misspelt; null where it is known. */
  doubt: string | null;
  maySwitch: boolean;
  version: string;
}): Markup {
  const { scope, halted, doubt, maySwitch, version } = shown;
  const name = scopeText(scope);
  const effect = halted
    ? `Lifts the halt of ${name}. Deposits that fulfil the policy are credited at once.`
    : `Stops every credit of ${name} at once. Deposits still arrive and wait; no credit is taken back.`;
  return (
    <li class={`switch${halted ? ' on' : ''}`} id={`switch-${name.replaceAll(' ', '-')}`}>
      <span class="switch-name">{name}</span>
      {halted ? <Badge tone="alarm" text="halted" /> : <Badge tone="good" text="crediting" />}
      {halted && doubt !== null && (
        <p class="why">{`Stops no deposit that is known here: ${doubt}`}</p>
      )}
      {maySwitch && (
        <ConfirmForm
          action={`${POLICY_PATH}/${halted ? 'resume' : 'halt'}`}
          label={`${halted ? 'Resume' : 'Halt'} ${name}`}
          effect={effect}
          hidden={{ ...namesOf(scope), basis: version }}
          danger={!halted}
        />
      )}
    </li>
  );
}

/** A halt of something that has not arrived yet, by its name. */
function OtherHalt({ version }: { version: string }): Markup {
  return (
    <ConfirmForm
      action={`${POLICY_PATH}/halt`}
      label="Halt another"
      effect="Stops every credit of a network or an asset that is not in this list. Fill in one, letter by letter: a misspelt name stops nothing."
      hidden={{ basis: version }}
      danger
    >
      <label class="field">
        <span>Network, such as ethereum</span>
        <input name="network" autocomplete="off" />
      </label>
      <label class="field">
        <span>Asset, such as ethereum:USDC</span>
        <input name="asset" autocomplete="off" />
      </label>
    </ConfirmForm>
  );
}

/** A switch for everything, for each network and for each asset. */
export function HaltsCard(shown: {
  policy: CreditingPolicy;
  /** Of the policy, `pol_12`. */
  version: string;
  assets: readonly string[];
  find: string;
  /** Of the API: probable misspellings among them. */
  warnings: readonly string[];
  maySwitch: boolean;
}): Markup {
  const { policy, version, assets, find, warnings, maySwitch } = shown;
  const filter = [{ name: 'find', label: 'Asset', value: find, type: 'search' as const }];
  return (
    <Card
      id="halts"
      title="Halts"
      live="policy"
      aside={maySwitch && <OtherHalt version={version} />}
    >
      {(assets.length > ASSETS_MAX || find !== '') && (
        <FilterForm action={POLICY_PATH} fields={filter} />
      )}
      <ul class="switches">
        {scopesOf(policy, assets, find).map((scope) => (
          <Switch
            halted={isHalted(policy, scope)}
            doubt={nameWarning(scope, warnings)}
            {...{ scope, maySwitch, version }}
          />
        ))}
      </ul>
    </Card>
  );
}
