import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { ignoresCase, networkAddressOf } from '../../domain/chain/network-address.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { amountsIn } from '../parts/value/amounts.ts';
import { subjectLink } from '../parts/subject-link.ts';
import { find, onlyThing, type Hit } from './find.ts';
import { bodyCall } from '../parts/fact/body-call.ts';

/** Longer than any id, hash, address, memo or amount. */
const TEXT_MAX = 200;

/** What a text can be; a text of another kind makes an empty list. */
type Kind = 'chain address' | 'custody id' | 'vault' | 'amount' | 'words';

/** Filters of lists that take the text as it is, each with the kind of text that it takes. */
const FILTERS = [
  {
    things: 'deposits',
    path: '/console/deposits',
    by: [
      ['networkAddress', 'on-chain address', 'chain address'],
      ['addressId', 'address id', 'custody id'],
      ['memo', 'memo', 'words'],
      ['attributedTo', 'owner', 'words'],
      ['vaultId', 'vault', 'vault'],
    ],
  },
  {
    things: 'withdrawals',
    path: '/console/withdrawals',
    by: [
      ['orderId', 'order', 'custody id'],
      ['destinationAddress', 'destination address', 'chain address'],
      ['memo', 'memo', 'words'],
      ['amount', 'amount', 'amount'],
      ['vaultId', 'vault', 'vault'],
    ],
  },
] as const satisfies readonly {
  readonly things: string;
  readonly path: string;
  readonly by: readonly (readonly [name: string, label: string, kind: Kind])[];
}[];

/** The kinds that a text can be. Custody's ids have no form, but none is written as an address. */
function kindsOf(text: string, about: { isAmount: boolean; hits: readonly Hit[] }): Set<Kind> {
  const { isAmount, hits } = about;
  const isId = networkAddressOf(text) !== null && !ignoresCase(text);
  const isVault = hits.some(({ subject, id }) => subject === 'vault' && id === text);
  return new Set<Kind>([
    ...(networkAddressOf(text) === null || isAmount ? [] : (['chain address'] as const)),
    ...(isId ? (['custody id'] as const) : []),
    ...(ignoresCase(text) ? [] : (['words'] as const)),
    ...(isVault ? (['vault'] as const) : []),
    ...(isAmount ? (['amount'] as const) : []),
  ]);
}

/** The page of a hit; undefined where the visitor may not read it. */
type HrefOfHit = (hit: Hit) => string | undefined;

const VAULT: Column<Hit> = {
  title: 'Vault',
  cell: ({ vaultId }) =>
    vaultId === undefined || vaultId === null ? '' : <Identifier value={vaultId} />,
};

function amountColumn(decimals: Decimals): Column<Hit> {
  return {
    title: 'Amount',
    cell: ({ amount }) =>
      amount === undefined ? '' : <AmountFigure {...amount} decimals={decimals} />,
    is: 'number',
  };
}

/** Amount and vault only where a hit has one. */
function columnsOf(shown: Pick<Shown, 'hits' | 'hrefOf' | 'decimals'>): Column<Hit>[] {
  const { hits, hrefOf, decimals } = shown;
  return [
    { title: 'What', cell: ({ kind }) => kind },
    {
      title: 'Id',
      cell: (hit) => {
        const { id, name = id } = hit;
        return <Identifier value={name} href={hrefOf(hit)} />;
      },
    },
    { title: 'Detail', cell: ({ detail }) => detail },
    ...(hits.some(({ amount }) => amount !== undefined) ? [amountColumn(decimals)] : []),
    ...(hits.some(({ vaultId }) => vaultId !== undefined) ? [VAULT] : []),
    { title: 'When', cell: ({ at }) => (at === null ? '' : <Moment at={at} />) },
  ];
}

/** A filter finds more, and older, things than the search shows. */
function FilterLinks({ text, kinds }: { text: string; kinds: ReadonlySet<Kind> }): Markup {
  if (text === '') return <></>;
  return (
    <>
      {FILTERS.map(({ things, path, by }) => {
        const fitting = by.filter(([, , kind]) => kinds.has(kind));
        if (fitting.length === 0) return '';
        return (
          <p>
            All {things} by{' '}
            {fitting.map(([name, label], index) => (
              <>
                {index === 0 ? '' : ', '}
                <a href={linkTo(path, { [name]: text })}>{label}</a>
              </>
            ))}
            .
          </p>
        );
      })}
    </>
  );
}

/** What the page of a search shows. */
interface Shown {
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly hrefOf: HrefOfHit;
  readonly decimals: Decimals;
  /** Whether the text can be an amount of a known asset. */
  readonly isAmount: boolean;
}

/** The results of a search. */
function SearchPage(shown: Shown): Markup {
  const { text, hits } = shown;
  return (
    <Card id="search" title={text === '' ? 'Search' : `Results for ${text}`}>
      {hits.length > 0 ? (
        <DataTable
          caption="Results"
          items={hits}
          columns={columnsOf(shown)}
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
            Write a point before decimals, the memo alone, the id of a vault instead of its name,
            and a whole hash: the button beside a hash copies it.
          </p>
          <p>
            Deposits are found by their on-chain address and by its address id, which is the custody
            service’s. Withdrawals are found by their destination address.
          </p>
        </EmptyState>
      )}
      <FilterLinks text={text} kinds={kindsOf(text, shown)} />
    </Card>
  );
}

/** `/console/search`: a single match opens at once. */
export function mountSearch(app: Hono<ConsoleEnv>, { reads, show, may }: ConsoleContext): void {
  app.get('/console/search', async (pageRequest) => {
    const text = (pageRequest.req.query('q') ?? '').trim().slice(0, TEXT_MAX);
    const hrefOf: HrefOfHit = ({ subject, id }) => {
      // The page of a notification is its body, which not every role may read.
      const isHidden = subject === 'notification' && !may(pageRequest, bodyCall(id));
      return isHidden ? undefined : subjectLink(subject, id);
    };
    const decimals = await reads.pinnedDecimals();
    const amounts = amountsIn(text, { decimals });
    const hits = text === '' ? [] : await find(reads, text, amounts);
    const only = onlyThing(hits);
    const href = only === undefined ? undefined : hrefOf(only);
    if (href !== undefined) return pageRequest.redirect(href, 303);
    const isAmount = amounts.length > 0;
    const body = <SearchPage {...{ text, hits, hrefOf, decimals, isAmount }} />;
    return show(pageRequest, { title: 'Search', body });
  });
}
