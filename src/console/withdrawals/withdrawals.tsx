import type { Hono } from 'hono';
import { TABLE_FORMATS } from '../../report/tables/table-documents.ts';
import { pageOf } from '../../pages/parts/list/link.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { filterValues } from '../parts/list/filter-values.ts';
import { download, tableRefusal } from '../parts/list/table-download.ts';
import { notAnAmount } from '../parts/value/amounts.ts';
import { WithdrawalPage } from './detail.tsx';
import { NAMES, PATH, queryOf } from './filter.ts';
import { WithdrawalsPage } from './list.tsx';
import { bodyCall } from '../parts/fact/body-call.ts';

const PAGE_SIZE = 50;

const NO_FILTER = 'There is no such status, knowledge of the custody API, or day.';

function mountList(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, table, missing } = context;
  const known = knownFilters(context, { filters: NAMES, others: ['page'] });
  app.get(PATH, known, async (pageRequest) => {
    const filter = filterValues(NAMES, pageRequest.req.query());
    const decimals = await reads.pinnedDecimals();
    const query = queryOf(filter, decimals);
    if (query === undefined) return missing(pageRequest, NO_FILTER);
    const page = { page: pageOf(pageRequest.req.query('page')), pageSize: PAGE_SIZE };
    const found = await reads.withdrawals(query, page);
    const person = pageRequest.get('visitor')?.name ?? null;
    const problem = notAnAmount(filter.amount);
    const body = <WithdrawalsPage {...{ filter, found, decimals, person, problem }} />;
    return show(pageRequest, { title: 'Withdrawals', body }, problem === null ? 200 : 400);
  });
  for (const format of TABLE_FORMATS) {
    app.get(`${PATH}.${format}`, known, async (pageRequest) => {
      const filter = filterValues(NAMES, pageRequest.req.query());
      const query = queryOf(filter, await reads.pinnedDecimals());
      if (query === undefined) return missing(pageRequest, NO_FILTER);
      const problem = notAnAmount(filter.amount);
      if (problem !== null) return tableRefusal(pageRequest, problem);
      const found = await table({ kind: 'withdrawals', query }, format);
      if (found.kind !== 'document') return missing(pageRequest, NO_FILTER);
      return download(pageRequest, found.document);
    });
  }
}

/** `/console/withdrawals`: the list, and one withdrawal's life. */
export function mountWithdrawals(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, may } = context;
  mountList(app, context);
  app.get(`${PATH}/:id`, async (pageRequest) => {
    const id = pageRequest.req.param('id');
    const life = await reads.withdrawalLife(id);
    if (life === undefined) {
      // Breaks link incoming transactions too. The search opens their deposit.
      return pageRequest.redirect(`/console/search?q=${encodeURIComponent(id)}`, 303);
    }
    const { blockchainHash } = life.withdrawal;
    const [statements, decimals] = await Promise.all([
      blockchainHash === null ? [] : reads.movements(blockchainHash),
      reads.pinnedDecimals(),
    ]);
    const shown = { life, statements, decimals, showsBodies: may(pageRequest, bodyCall()) };
    const body = <WithdrawalPage shown={shown} />;
    return show(pageRequest, { title: `Withdrawal ${id}`, body });
  });
}
