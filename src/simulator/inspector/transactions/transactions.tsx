import type { Hono } from 'hono';
import type { Transaction } from '../../../wire/transaction.ts';
import { INCOMING_STATUSES, OUTGOING_STATUSES } from '../../../wire/transaction.ts';
import { AmountFigure, type Decimals } from '../../../pages/parts/value/amount.tsx';
import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { FilterForm } from '../../../pages/parts/form/filter-form.tsx';
import { textOf } from '../../../pages/parts/form/form-text.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import { linkTo, pageOf } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import type { TransactionQuery } from '../../world/transaction.ts';
import { HOME } from '../context.ts';
import type { InspectorContext, InspectorEnv } from '../context.ts';
import { vaultNames } from '../deliveries/notification-table.tsx';
import { statusTone, TransactionPage } from './transaction-page.tsx';

const PATH = `${HOME}/transactions`;
const PAGE_SIZE = 50;
const STATUSES = [...new Set([...OUTGOING_STATUSES, ...INCOMING_STATUSES])];
const TYPES = ['outgoing', 'incoming'] as const;

type Filter = Pick<TransactionQuery, 'type' | 'status' | 'network' | 'vaultId' | 'search'>;

function filterOf(query: Readonly<Record<string, string>>): Filter {
  const names = ['status', 'network', 'vaultId', 'search'] as const;
  const type = TYPES.find((one) => one === query['type']);
  return {
    ...(type === undefined ? {} : { type }),
    ...Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))),
  };
}

/** What a transaction moves: the ordered amount, or the changes of its balances. */
function Amounts({ row, decimals }: { row: Transaction; decimals: Decimals }): Markup {
  const { amount, asset } = row;
  if (typeof amount === 'string' && typeof asset === 'string') {
    return <AmountFigure amount={-BigInt(amount)} asset={asset} decimals={decimals} signed />;
  }
  return (
    <>
      {(row.balanceChanges ?? []).map((change) => (
        <AmountFigure
          amount={BigInt(change.amount)}
          asset={change.asset}
          decimals={decimals}
          signed
        />
      ))}
    </>
  );
}

function Filters({ context, filter }: { context: InspectorContext; filter: Filter }): Markup {
  const { world } = context.services;
  return (
    <FilterForm
      action={PATH}
      fields={[
        { name: 'type', label: 'Type', value: filter.type, options: TYPES },
        { name: 'status', label: 'Status', value: filter.status, options: STATUSES },
        {
          name: 'network',
          label: 'Network',
          value: filter.network,
          options: world.networks().map(({ key, name }) => ({ value: key, label: name })),
        },
        {
          name: 'vaultId',
          label: 'Vault',
          value: filter.vaultId,
          options: world.vaults().map(({ vaultId, name }) => ({ value: vaultId, label: name })),
        },
        { name: 'search', label: 'Id, hash or destination', value: filter.search, type: 'search' },
      ]}
    />
  );
}

function Transactions(list: { context: InspectorContext; filter: Filter; page: number }): Markup {
  const { context, filter, page } = list;
  const { services, decimals } = context;
  const found = services.world.transactions({
    ...filter,
    sort: { field: 'createdAt', order: 'desc' },
    offset: page * PAGE_SIZE,
    limit: PAGE_SIZE,
  });
  const vaultName = vaultNames(services);
  return (
    <Card id="transactions" title="Transactions, newest first" live="transactions">
      <Filters context={context} filter={filter} />
      {found.data.length === 0 ? (
        <EmptyState title="No transaction matches.">
          <p>
            A deposit to an address makes one: open a <a href={`${HOME}/vaults`}>vault</a>. A client
            orders others with <code>POST /transactions</code>.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Transactions"
          items={found.data}
          rowKey={({ transactionId }) => transactionId}
          href={({ transactionId }) => `${PATH}/${transactionId}`}
          columns={[
            {
              title: 'Transaction',
              cell: ({ transactionId }) => (
                <Identifier value={transactionId} href={`${PATH}/${transactionId}`} />
              ),
            },
            { title: 'Type', cell: ({ type, network }) => `${type} ${network}` },
            {
              title: 'Status',
              cell: ({ status }) => <Badge tone={statusTone(status)} text={status} />,
            },
            { title: 'Vault', cell: ({ vaultId }) => vaultName(vaultId) },
            {
              title: 'Amount',
              cell: (row) => <Amounts row={row} decimals={decimals} />,
              is: 'number',
            },
            {
              title: 'Made',
              cell: ({ createdAt }) => <Moment at={Date.parse(createdAt)} />,
              is: 'wide',
            },
          ]}
        />
      )}
      <PageLinks
        found={{ page, pageSize: PAGE_SIZE, total: found.total }}
        href={(number) => linkTo(PATH, { ...filter, page: number })}
      />
    </Card>
  );
}

/** `/inspector/transactions`: transactions, the life of each, approvals and signatures. */
export function mountTransactions(app: Hono<InspectorEnv>, context: InspectorContext): void {
  const { services, show, missing, perform } = context;
  app.get(PATH, (pageRequest) => {
    const query = pageRequest.req.query();
    const list = { context, filter: filterOf(query), page: pageOf(query['page']) };
    return show(pageRequest, { title: 'Transactions', body: <Transactions {...list} /> });
  });
  app.get(`${PATH}/:id`, (pageRequest) => {
    const row = services.world.transaction(pageRequest.req.param('id'));
    if (row === undefined) return missing(pageRequest, 'The core knows no such transaction.');
    const body = <TransactionPage row={row} context={context} />;
    return show(pageRequest, { title: `${row.type} transaction`, body });
  });
  const post = (
    step: 'decisions' | 'signatures' | 'cancel',
    bodyOf: (field: (name: string) => string) => unknown,
    done: (status: string) => string,
  ): void => {
    app.post(`${PATH}/:id/${step}`, async (pageRequest) => {
      const fields = await pageRequest.req.parseBody();
      const id = encodeURIComponent(pageRequest.req.param('id'));
      return perform(pageRequest, {
        method: 'POST',
        path: `/sim/transactions/${id}/${step}`,
        body: bodyOf((name) => textOf(fields, name)),
        done: ({ status }) => done(String(status)),
        back: `${PATH}/${id}`,
      });
    });
  };
  post(
    'decisions',
    (field) => ({ clientId: field('clientId'), decision: field('decision') }),
    (status) => `The decision is recorded; the transaction is ${status}.`,
  );
  post(
    'signatures',
    (field) => ({ xprv: field('xprv') }),
    (status) => `The signatures are accepted; the transaction is ${status}.`,
  );
  post(
    'cancel',
    () => undefined,
    (status) => `The transaction is ${status}.`,
  );
}
