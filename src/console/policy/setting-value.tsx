import type { Amount } from '../../domain/money/amount.ts';
import { decimalText, grouped } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';
import type { RuleScope } from './policy-text.ts';

/** Decimals of assets, to show amounts of their rules in the asset's own unit. */
export type Decimals = ReadonlyMap<string, number>;

function isAmount(setting: string, value: unknown): value is string {
  return /^(minimumAmount|(one|two)Approvals?Above)$/.test(setting) && typeof value === 'string';
}

/** A setting's value in words; undefined: the rule does not have it. */
export function SettingValue(shown: {
  setting: string;
  value: unknown;
  scope: RuleScope;
  decimals: Decimals;
}): Markup {
  const { setting, value, scope, decimals } = shown;
  if (value === undefined) return <span class="muted">not set</span>;
  if (value === null) return <>never</>;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (isAmount(setting, value) && /^\d+$/.test(value)) {
    const digits = scope.kind === 'asset' ? decimals.get(scope.name) : undefined;
    const text =
      digits === undefined ? grouped(value) : decimalText(BigInt(value) as Amount, digits);
    return (
      <data class="figure" value={value} title={`${value} in the smallest unit`}>
        {text}
      </data>
    );
  }
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
