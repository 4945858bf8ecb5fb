import { AmountFigure, LineFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import type { RuleScope } from './policy-text.ts';
import { isAmount } from './rule-form.ts';

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
  if (typeof value === 'string' && isAmount(setting) && /^0*[1-9]\d*$/.test(value)) {
    if (scope.kind === 'asset') {
      return <AmountFigure amount={BigInt(value)} asset={scope.name} decimals={decimals} />;
    }
    return (
      <>
        <LineFigure exact={value} text={grouped(value)} />
        <span class="units">smallest units</span>
      </>
    );
  }
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
