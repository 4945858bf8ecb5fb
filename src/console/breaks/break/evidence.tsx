import { differenceOf, LOCAL_BREAKS, type BreakType } from '../../../domain/break/break.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { SideFigure } from '../../parts/hash/hash-movements.tsx';

/** Whose figure `expected` is. */
function witnessOf(type: BreakType): string {
  if ((LOCAL_BREAKS as readonly BreakType[]).includes(type)) return 'the chain or the custody API';
  // A rollback opens it before the custody API is asked.
  if (type === 'reversal_after_credit') return 'the rollback notification';
  return type === 'amount_changed' ? 'the newer notification' : 'the custody API';
}

/** Ours, theirs and the difference, side by side. */
export function Figures({ one, decimals }: { one: ShownBreak; decimals: Decimals }): Markup {
  const { expected, actual, type } = one;
  const { asset } = one.subject;
  if (expected === null && actual === null) {
    return <p class="muted">This break compares no amounts.</p>;
  }
  return (
    <dl class="sides">
      <div>
        <dt>Ours: the books</dt>
        <dd>
          <SideFigure amount={actual} asset={asset} decimals={decimals} />
        </dd>
      </div>
      <div>
        <dt>Theirs: {witnessOf(type)}</dt>
        <dd>
          <SideFigure amount={expected} asset={asset} decimals={decimals} />
        </dd>
      </div>
      <div class={one.severity}>
        <dt>Difference: ours minus theirs</dt>
        <dd>
          <SideFigure amount={differenceOf(one)} asset={asset} decimals={decimals} signed />
        </dd>
      </div>
    </dl>
  );
}
