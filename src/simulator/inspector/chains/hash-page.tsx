import { AmountFigure, type Decimals } from '../../../pages/parts/value/amount.tsx';
import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import type { OnChainTransaction } from '../../world/on-chain.ts';
import { Body } from '../body.tsx';
import { HOME } from '../context.ts';
import { vaultNames } from '../deliveries/notification-table.tsx';

const TONES = { mempool: 'warn', confirmed: 'good', dropped: 'alarm' } as const;

function Facts({ row }: { row: OnChainTransaction }): Markup {
  const { blockHeight, transactionId, replaces, minedAt } = row;
  return (
    <dl class="facts">
      <Fact name="State">
        <Badge
          tone={row.reverted ? 'alarm' : TONES[row.status]}
          text={row.reverted ? 'reverted' : row.status}
        />
      </Fact>
      <Fact name="Hash">
        <Identifier value={row.blockchainHash} whole />
      </Fact>
      <Fact name="Network">
        <a href={`${HOME}/chains/${row.network}`}>{row.network}</a>
      </Fact>
      {blockHeight !== null && (
        <>
          <Fact name="Block">{grouped(blockHeight)}</Fact>
          <Fact name="Confirmations">{grouped(row.confirmations)}</Fact>
        </>
      )}
      <Fact name="First seen">
        <Moment at={row.firstSeenAt} />
      </Fact>
      {minedAt !== null && (
        <Fact name="Mined">
          <Moment at={minedAt} />
        </Fact>
      )}
      {transactionId !== null && (
        <Fact name="Order">
          <Identifier value={transactionId} href={`${HOME}/transactions/${transactionId}`} />
        </Fact>
      )}
      {replaces !== null && (
        <Fact name="Replaces">
          <Identifier value={replaces} href={`${HOME}/chains/hashes/${replaces}`} />
        </Fact>
      )}
    </dl>
  );
}

/** One hash on its chain: its block, every movement, and the custody transactions that it makes. */
export function HashPage(page: {
  row: OnChainTransaction;
  services: ControlServices;
  decimals: Decimals;
}): Markup {
  const { row, services, decimals } = page;
  const vaultName = vaultNames(services);
  const { data } = services.world.transactions({ blockchainHash: row.blockchainHash });
  return (
    <>
      <Card id="hash" title="On the chain" live="chains tick">
        <Facts row={row} />
      </Card>
      <Card id="movements" title="Movements" live="chains">
        <DataTable
          caption="Movements"
          items={row.movements.map((movement, index) => ({ ...movement, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            {
              title: 'Address',
              cell: ({ networkAddress }) => <Identifier value={networkAddress} />,
            },
            {
              title: 'Vault',
              cell: ({ vaultId }) =>
                vaultId === null ? (
                  <span class="muted">outside custody</span>
                ) : (
                  <a href={`${HOME}/vaults/${vaultId}`}>{vaultName(vaultId)}</a>
                ),
            },
            { title: 'Tags', cell: ({ tags }) => tags.join(', ') },
            { title: 'Memo', cell: ({ memo }) => memo ?? '', is: 'wide' },
            {
              title: 'Amount',
              cell: ({ amount, asset }) => (
                <AmountFigure amount={amount} asset={asset} decimals={decimals} signed />
              ),
              is: 'number',
            },
          ]}
        />
      </Card>
      <Card id="transactions" title="Transactions of custody" live="transactions">
        {data.length === 0 ? (
          <EmptyState title="This hash touches no address of custody." />
        ) : (
          <ul>
            {data.map(({ transactionId, type, status }) => (
              <li>
                {type} {status}{' '}
                <Identifier value={transactionId} href={`${HOME}/transactions/${transactionId}`} />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card id="metadata" title="Metadata">
        <Body value={row.metadata} label="The metadata of the transaction" />
      </Card>
    </>
  );
}
