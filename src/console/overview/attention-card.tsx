import type { HrefOf } from '../frame/context.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/amount.tsx';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { EmptyState } from '../../pages/parts/empty-state.tsx';
import { grouped } from '../../pages/parts/figure.ts';
import { Identifier } from '../../pages/parts/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age } from '../../pages/parts/moment.tsx';
import { Prose } from '../parts/prose.tsx';
import type { Attention } from './attention.ts';
import type { Snapshot } from './snapshot.ts';

const SHOWN = 12;

function aboutOf({ amount }: Attention): { asset: string | null; amounts: bigint[] } {
  return amount === null
    ? { asset: null, amounts: [] }
    : { asset: amount.asset, amounts: [amount.amount] };
}

function Item(item: { one: Attention; decimals: Decimals; now: number; hrefOf: HrefOf }): Markup {
  const { one, decimals, now, hrefOf } = item;
  const href = hrefOf(one.subject, one.id);
  return (
    <li
      class={`waits ${one.severity}`}
      id={`waits-${one.subject}-${one.id}`}
      data-row={href === undefined ? undefined : href}
    >
      <div class="head">
        <Badge tone={one.severity} text={one.severity} />
        {href === undefined ? <b>{one.title}</b> : <a href={href}>{one.title}</a>}
        {one.notes.map((note) => (
          <span class="muted">{note}</span>
        ))}
        <Age at={one.since} now={now} />
      </div>
      <p>
        <Prose text={one.detail} about={aboutOf(one)} decimals={decimals} />
      </p>
      {one.amount === null ? (
        ''
      ) : (
        <p class="stake">
          <AmountFigure
            amount={one.amount.amount}
            asset={one.amount.asset}
            decimals={decimals}
            signed={one.subject === 'break'}
          />
        </p>
      )}
      {one.subject === 'break' || one.subject === 'deposit' ? <Identifier value={one.id} /> : ''}
    </li>
  );
}

/** What waits for a person, the most urgent first. */
export function AttentionCard({
  snapshot,
  hrefOf,
}: {
  snapshot: Snapshot;
  hrefOf: HrefOf;
}): Markup {
  const { attention, attentionLeftOut, decimals, at } = snapshot;
  const more = attention.length - Math.min(SHOWN, attention.length) + attentionLeftOut;
  return (
    <Card id="attention" title="Needs a person" live="breaks deposits close policy tick">
      {attention.length === 0 ? (
        <EmptyState title="Nothing waits for a person." good />
      ) : (
        <ul class="waiting">
          {attention.slice(0, SHOWN).map((one) => (
            <Item one={one} decimals={decimals} now={at} hrefOf={hrefOf} />
          ))}
        </ul>
      )}
      {more > 0 ? <p class="foot">and {grouped(String(more))} more</p> : ''}
    </Card>
  );
}
