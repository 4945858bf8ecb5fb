import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { find, onlyThing, type Hit } from './find.ts';

/** Longer than any id, hash, address, memo or amount. */
const TEXT_MAX = 200;

/** Filters of lists that take the text as it is. */
const FILTERS = [
  {
    things: 'deposits',
    path: '/console/deposits',
    by: [
      ['networkAddress', 'on-chain address'],
      ['addressId', 'address id'],
      ['memo', 'memo'],
      ['attributedTo', 'owner'],
      ['vaultId', 'vault'],
    ],
  },
  {
    things: 'withdrawals',
    path: '/console/withdrawals',
    by: [
      ['orderId', 'order'],
      ['destinationAddress', 'destination'],
      ['memo', 'memo'],
      ['amount', 'amount'],
      ['vaultId', 'vault'],
    ],
  },
] as const;

/** The page of a hit; undefined where the visitor may not read it. */
type HrefOfHit = (hit: Hit) => string | undefined;

function columnsOf(hrefOf: HrefOfHit): Column<Hit>[] {
  return [
    { title: 'What', cell: ({ kind }) => kind },
    {
      title: 'Id',
      cell: (hit) => {
        const { id, name = id } = hit;
        const href = hrefOf(hit);
        return href === undefined ? (
          <Identifier value={name} />
        ) : (
          <Identifier value={name} href={href} />
        );
      },
    },
    { title: 'Detail', cell: ({ detail }) => detail },
    { title: 'When', cell: ({ at }) => (at === null ? '' : <Moment at={at} />) },
  ];
}

/** A filter finds more, and older, things than the search shows. */
function FilterLinks({ text }: { text: string }): Markup {
  if (text === '') return <></>;
  return (
    <>
      {FILTERS.map(({ things, path, by }) => (
        <p>
          All {things} by{' '}
          {by.map(([name, label], index) => (
            <>
              {index === 0 ? '' : ', '}
              <a href={linkTo(path, { [name]: text })}>{label}</a>
            </>
          ))}
          .
        </p>
      ))}
    </>
  );
}

/** The results of a search. */
export function SearchPage(shown: {
  text: string;
  hits: readonly Hit[];
  hrefOf: HrefOfHit;
}): Markup {
  const { text, hits, hrefOf } = shown;
  return (
    <Card id="search" title={text === '' ? 'Search' : `Results for ${text}`}>
      {hits.length > 0 ? (
        <DataTable
          caption="Results"
          items={hits}
          columns={columnsOf(hrefOf)}
          rowKey={({ subject, id }) => `${subject}-${id}`}
        />
      ) : (
        <EmptyState
          title={
            text === ''
              ? 'Type what you look for.'
              : 'Nothing has this id, hash, address, memo, owner, reference or amount.'
          }
        >
          <p>
            Search takes whole ids of deposits, withdrawals, breaks, credits, notifications,
            quarantined bodies and runs, blockchain hashes, addresses, accounts, memos, owners,
            references of consumers, amounts such as 1.5 ETH, and days such as 2025-11-20.
          </p>
          <p>
            Deposits are found by their address on the chain and by the custody service’s id of it.
            Withdrawals are found by their destination on the chain.
          </p>
        </EmptyState>
      )}
      <FilterLinks text={text} />
    </Card>
  );
}

/** The page of a notification is its body, which not every role may read. */
function bodyCall(seq: string) {
  return { method: 'GET', path: `/v1/journal/${seq}/body` } as const;
}

/** `/console/search`: a single match opens at once. */
export function mountSearch(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, may } = context;
  app.get('/console/search', async (pageRequest) => {
    const text = (pageRequest.req.query('q') ?? '').trim().slice(0, TEXT_MAX);
    const hrefOf: HrefOfHit = ({ subject, id, href }) => {
      if (href !== undefined || subject === 'vault') return href;
      const isHidden = subject === 'notification' && !may(pageRequest, bodyCall(id));
      return isHidden ? undefined : context.hrefOf(subject, id);
    };
    const hits = text === '' ? [] : await find(reads, text);
    const only = onlyThing(hits);
    const href = only === undefined ? undefined : hrefOf(only);
    if (href !== undefined) return pageRequest.redirect(href, 303);
    const body = <SearchPage text={text} hits={hits} hrefOf={hrefOf} />;
    return show(pageRequest, { title: 'Search', body });
  });
}
