import type { HrefOf } from '../frame/context.ts';
import { AmountFigure, type Decimals } from '../parts/amount.tsx';
import { Badge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { grouped } from '../parts/figure.ts';
import { Identifier } from '../parts/identifier.tsx';
import type { Markup } from '../parts/markup.ts';
import { Age } from '../parts/moment.tsx';
import type { Attention } from './attention.ts';
import type { Snapshot } from './snapshot.ts';

const SHOWN = 12;

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
      <p>{one.detail}</p>
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
