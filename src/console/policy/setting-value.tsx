import { LineFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { decimalText, grouped } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import type { RuleScope } from './policy-text.ts';

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
    const text = digits === undefined ? grouped(value) : decimalText(BigInt(value), digits);
    return <LineFigure exact={value} text={text} />;
  }
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
