import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import type { BlockInfo, ChainTip } from '../../world/on-chain.ts';
import { HOME } from '../context.ts';

const PAGE_SIZE = 25;
/** Hashes that one row or list shows; more would fill the page. */
const HASHES_MAX = 20;

function Hashes({ hashes }: { hashes: readonly string[] }): Markup {
  const more = hashes.length - HASHES_MAX;
  return (
    <>
      {hashes.slice(0, HASHES_MAX).map((hash) => (
        <>
          <Identifier value={hash} href={`${HOME}/chains/hashes/${hash}`} />{' '}
        </>
      ))}
      {more > 0 && <span class="muted">and {grouped(more)} more</span>}
    </>
  );
}

function MineForm({ network }: { network: string }): Markup {
  return (
    <form class="filter" method="post" action={`${HOME}/chains/${network}/mine`}>
      <label class="field">
        <span>Blocks</span>
        <input name="count" value="1" inputmode="numeric" required autocomplete="off" />
      </label>
      <button class="primary">Mine</button>
    </form>
  );
}

function ReorgForm({ tip }: { tip: ChainTip }): Markup {
  return (
    <ConfirmForm
      action={`${HOME}/chains/${tip.network}/reorg`}
      label="Reorg"
      effect="Removes the last blocks. Their transactions wait for a block again, except those that you drop. Depth 0 drops from the waiting ones alone."
      asksReason={false}
      danger
    >
      <label class="field">
        <span>Depth (blocks)</span>
        <input name="depth" value="1" inputmode="numeric" required autocomplete="off" />
      </label>
      <label class="field">
        <span>Hash to drop for ever (may be empty)</span>
        <input name="drop" autocomplete="off" spellcheck={false} />
      </label>
    </ConfirmForm>
  );
}

/** One chain: its tip, what waits, and its blocks. `page`: of the blocks, 0-based. */
export function ChainPage(chain: {
  tip: ChainTip;
  blocks: readonly BlockInfo[];
  page: number;
}): Markup {
  const { tip, blocks, page } = chain;
  const path = `${HOME}/chains/${tip.network}`;
  const items = blocks.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  return (
    <>
      <Card id="tip" title="Tip" live="chains tick">
        <dl class="facts">
          <Fact name="Height">{grouped(tip.height)}</Fact>
          <Fact name="Waiting for a block">{grouped(tip.mempool.length)}</Fact>
        </dl>
        <div class="actions">
          <MineForm network={tip.network} />
          <ReorgForm tip={tip} />
        </div>
      </Card>
      <Card id="mempool" title="Waiting for a block" live="chains">
        {tip.mempool.length === 0 ? (
          <EmptyState title="No transaction waits." />
        ) : (
          <p>
            <Hashes hashes={tip.mempool} />
          </p>
        )}
      </Card>
      <Card id="blocks" title="Blocks with transactions, newest first" live="chains tick">
        {blocks.length === 0 ? (
          <EmptyState title="No block holds a transaction yet." />
        ) : (
          <DataTable
            caption="Blocks"
            items={items}
            rowKey={({ height }) => String(height)}
            columns={[
              { title: 'Height', cell: ({ height }) => grouped(height), is: 'number' },
              { title: 'Mined', cell: ({ minedAt }) => <Moment at={minedAt} /> },
              {
                title: 'Confirmations',
                cell: ({ confirmations }) => grouped(confirmations),
                is: 'number',
              },
              {
                title: 'Transactions',
                cell: ({ blockchainHashes }) => <Hashes hashes={blockchainHashes} />,
              },
            ]}
          />
        )}
        <PageLinks
          found={{ page, pageSize: PAGE_SIZE, total: blocks.length }}
          href={(number) => linkTo(path, { page: number })}
        />
      </Card>
    </>
  );
}
