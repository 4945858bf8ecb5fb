import { AmountFigure, LineFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
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
  /** Shows an amount with its asset, and with its smallest units as they are stored. */
  asStored?: boolean;
}): Markup {
  const { setting, value, scope, decimals, asStored = false } = shown;
  if (value === undefined) return <span class="muted">not set</span>;
  if (value === null) return <>never</>;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (isAmount(setting, value) && /^\d+$/.test(value)) {
    if (asStored && scope.kind === 'asset') {
      return <AmountFigure amount={BigInt(value)} asset={scope.name} decimals={decimals} />;
    }
    const digits = scope.kind === 'asset' ? decimals.get(scope.name) : undefined;
    const text = digits === undefined ? grouped(value) : decimalText(BigInt(value), digits);
    return (
      <>
        <LineFigure exact={value} text={text} />
        {asStored && <span class="units">smallest units</span>}
      </>
    );
  }
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
