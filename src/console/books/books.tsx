import type { Hono } from 'hono';
import type { Reads } from '../../store/reads.ts';
import { TABLE_FORMATS, type TableAsked } from '../../report/tables/table-documents.ts';
import { pageOf } from '../../pages/parts/list/link.ts';
import type { ConsoleContext, ConsoleEnv, PageRequest } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { filterValues } from '../parts/list/filter-values.ts';
import { BOOKS_PATH, type Position } from '../parts/book-links.ts';
import { download, tableRefusal } from '../parts/list/table-download.ts';
import { balanceQueryOf, NAMES, POSITION_NAMES, type BalanceFilter } from './balance-filter.ts';
import { BalancesPage } from './balances-page.tsx';
import { readClosedDays } from './closed-days.ts';
import { MovementsPage, readHashBooks } from './movements-page.tsx';
import { periodOf } from './period.ts';
import { StatementPage, type ShownStatement } from './statement-page.tsx';

const PAGE_SIZE = 50;

async function readBalances(reads: Reads, filter: BalanceFilter, page: number) {
  const asked = balanceQueryOf(filter);
  if ('problem' in asked) return asked;
  const found = await reads.balances(asked.query, { page, pageSize: PAGE_SIZE });
  return { query: asked.query, found };
}

/** The position that a link names; undefined without a vault or an asset. */
function positionOf(query: Readonly<Record<string, string>>): Position | undefined {
  const { vaultId = '', asset = '', view } = query;
  if (vaultId === '' || asset === '') return undefined;
  const part = (name: 'accountId' | 'addressId' | 'memo'): string | null => query[name] || null;
  return {
    view: view === 'chain' ? 'chain' : 'books',
    vaultId,
    accountId: part('accountId'),
    addressId: part('addressId'),
    memo: part('memo'),
    asset,
  };
}

const NO_POSITION =
  'A statement needs a vault and an asset. The list of balances leads to each position’s statement.';
const UNKNOWN_POSITION = 'Nothing was ever posted at this position.';

/** What the page shows, or undefined for a position without any posting. */
async function readStatementPage(
  reads: Reads,
  position: Position,
  about: { readonly query: Readonly<Record<string, string>>; readonly now: number },
): Promise<ShownStatement | undefined> {
  const { query, now } = about;
  const [decimals, closedDays] = await Promise.all([reads.pinnedDecimals(), readClosedDays(reads)]);
  const asked = periodOf({ from: query['from'], to: query['to'] }, now);
  const shown = { position, decimals, closedDays, now };
  if ('problem' in asked) return { ...shown, result: asked };
  const { period } = asked;
  const { from, to } = period;
  const page = { page: pageOf(query['page']), pageSize: PAGE_SIZE };
  const found = await reads.statement({ ...position, from, to }, page);
  if (found.kind === 'unknown') return undefined;
  if (found.kind === 'too_long') return { ...shown, result: { period, tooLong: found } };
  return { ...shown, result: { period, statement: found } };
}

const STATEMENT_NAMES = {
  filters: [...POSITION_NAMES, 'from', 'to'],
  others: ['page'],
  values: {
    areKnown: ({ view = '' }) => ['', 'books', 'chain'].includes(view),
    unknown: 'There is no such view: a statement is of the books or of the chain.',
  },
};

const LINK_NAMES = { filters: NAMES, others: ['page'] };

function mountPages(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing } = context;
  app.get(BOOKS_PATH, knownFilters(context, LINK_NAMES), async (pageRequest) => {
    const filter = filterValues(NAMES, pageRequest.req.query());
    const page = pageOf(pageRequest.req.query('page'));
    const [decimals, closedDays, result] = await Promise.all([
      reads.pinnedDecimals(),
      // Only balances at a past moment lead to the statement of a closed day.
      filter.asOf === undefined ? [] : readClosedDays(reads),
      readBalances(reads, filter, page),
    ]);
    const body = <BalancesPage {...{ filter, decimals, closedDays, result }} />;
    return show(pageRequest, { title: 'Books', body }, 'problem' in result ? 400 : 200);
  });
  app.get(`${BOOKS_PATH}/movements/:hash`, async (pageRequest) => {
    const hash = pageRequest.req.param('hash');
    const books = await readHashBooks(reads, hash);
    if (books === undefined) return missing(pageRequest, `No fact names the hash ${hash}.`);
    return show(pageRequest, {
      title: 'Movements',
      body: <MovementsPage books={books} />,
    });
  });
  app.get(
    `${BOOKS_PATH}/statement`,
    knownFilters(context, STATEMENT_NAMES),
    async (pageRequest) => {
      const query = pageRequest.req.query();
      const position = positionOf(query);
      if (position === undefined) return missing(pageRequest, NO_POSITION);
      const shown = await readStatementPage(reads, position, { query, now: now() });
      if (shown === undefined) return missing(pageRequest, UNKNOWN_POSITION);
      const status = 'statement' in shown.result ? 200 : 400;
      return show(
        pageRequest,
        { title: 'Statement', body: <StatementPage shown={shown} /> },
        status,
      );
    },
  );
}

/** Spreadsheets to save. */
function mountTables(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { now, table, missing } = context;
  const known = knownFilters(context, LINK_NAMES);
  const knownOfStatement = knownFilters(context, STATEMENT_NAMES);
  for (const format of TABLE_FORMATS) {
    const answer = async (pageRequest: PageRequest, asked: TableAsked): Promise<Response> => {
      const found = await table(asked, format);
      if (found.kind === 'unknown') return missing(pageRequest, UNKNOWN_POSITION);
      if (found.kind === 'document') return download(pageRequest, found.document);
      const text = 'The period is too long: open the statement’s page, and shorten it.';
      return pageRequest.text(text, 400);
    };
    app.get(`${BOOKS_PATH}/balances/${format}`, known, async (pageRequest) => {
      const asked = balanceQueryOf(filterValues(NAMES, pageRequest.req.query()));
      if ('problem' in asked) return tableRefusal(pageRequest, asked.problem);
      return answer(pageRequest, { kind: 'balances', query: asked.query, at: now() });
    });
    app.get(`${BOOKS_PATH}/statement/${format}`, knownOfStatement, async (pageRequest) => {
      const query = pageRequest.req.query();
      const position = positionOf(query);
      if (position === undefined) return missing(pageRequest, NO_POSITION);
      const at = now();
      const asked = periodOf({ from: query['from'], to: query['to'] }, at);
      if ('problem' in asked) return tableRefusal(pageRequest, asked.problem);
      const statement = { ...position, from: asked.period.from, to: asked.period.to };
      return answer(pageRequest, { kind: 'statement', query: statement, at });
    });
  }
}

/** `/console/books`: balances by position, a position's statement, a hash's movements. */
export function mountBooks(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  mountPages(app, context);
  mountTables(app, context);
}
