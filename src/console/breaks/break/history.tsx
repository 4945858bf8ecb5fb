import { RECONCILER, type BreakFigures } from '../../../domain/break/break.ts';
import type { StoredBreakEvent } from '../../../store/records.ts';
import { AmountFigure, type Decimals } from '../../../pages/parts/value/amount.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { Prose } from '../../parts/value/prose.tsx';

function Changed(props: {
  name: string;
  before: BreakFigures[keyof BreakFigures] | undefined;
  after: BreakFigures[keyof BreakFigures];
  asset: string;
  decimals: Decimals;
}): Markup {
  const { name, before, after, asset, decimals } = props;
  if (before === undefined || before === after) return <></>;
  const shown = (value: BreakFigures[keyof BreakFigures]) => {
    if (value === null) return 'none';
    if (typeof value === 'string') return value;
    return <AmountFigure amount={value} asset={asset} decimals={decimals} />;
  };
  return (
    <p class="muted">
      {name}: {shown(before)} → {shown(after)}
    </p>
  );
}

/** Who did what to the break, when and why; figures where they changed. */
export function History(props: {
  history: readonly StoredBreakEvent[];
  asset: string | null;
  decimals: Decimals;
}): Markup {
  const { history, decimals } = props;
  const asset = props.asset ?? '';
  return (
    <ol class="history">
      {history.map(({ at, actor, action, reason, before, after, seq }) => (
        <li>
          <p>
            <b>{action}</b> by {actor} · <Moment at={at} /> ·{' '}
            <a href={`/console/journal/${seq}`}>fact {seq}</a>
          </p>
          <p>
            {actor === RECONCILER ? (
              <Prose text={reason} asset={props.asset} decimals={decimals} />
            ) : (
              reason
            )}
          </p>
          {after === null
            ? ''
            : (
                [
                  ['theirs', 'expected'],
                  ['ours', 'actual'],
                  ['severity', 'severity'],
                ] as const
              ).map(([name, key]) => (
                <Changed
                  name={name}
                  before={before?.[key]}
                  after={after[key]}
                  asset={asset}
                  decimals={decimals}
                />
              ))}
        </li>
      ))}
    </ol>
  );
}
