import type { Hono } from 'hono';
import { NO_POLICY, depositRule } from '../../domain/policy/policy.ts';
import { TABLE_FORMATS } from '../../report/tables/table-documents.ts';
import type { DepositPageRequest } from '../../store/queries.ts';
import type { Reads } from '../../store/reads.ts';
import type { ConsoleContext, ConsoleEnv, PageRequest } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { basisIn, textOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { filterValues } from '../parts/list/filter-values.ts';
import { tableDownload, tableRefusal } from '../parts/list/table-download.ts';
import { DECISIONS, type Allowed, type DepositDecision } from './actions.tsx';
import { DepositPage, type ShownDeposit } from './detail.tsx';
import { NAMES, PATH, searchOf, type DepositFilter } from './filter.ts';
import { DepositsPage } from './list.tsx';
import { depositsTable, readForTable } from './table.ts';
import { bodyCall } from '../parts/fact/body-call.ts';

const PAGE_SIZE = 50;
/** Newest policies that a deposit's steps are explained by: each may have a thousand rules. */
const POLICIES_READ = 20;

function cursorOf(query: Readonly<Record<string, string>>): DepositPageRequest['cursor'] {
  const { after, before } = query;
  if (after !== undefined && after !== '') return { side: 'older', depositId: after };
  if (before !== undefined && before !== '') return { side: 'newer', depositId: before };
  return null;
}

/** A page of the list, or what is wrong with its filter. */
async function readList(
  reads: Reads,
  filter: DepositFilter,
  about: { decimals: Decimals; cursor: DepositPageRequest['cursor'] },
) {
  const asked = searchOf(filter, about.decimals);
  if ('problem' in asked) return asked;
  const page = { cursor: about.cursor, pageSize: PAGE_SIZE };
  return { found: await reads.findDeposits(asked.search, page) };
}

/** Everything that the page of one deposit shows, without what its reader may do. */
async function readDepositPage(
  reads: Reads,
  depositId: string,
): Promise<Pick<ShownDeposit, 'life' | 'rule' | 'decimals' | 'policies'> | undefined> {
  const [life, policy, decimals, policies] = await Promise.all([
    reads.depositLife(depositId),
    reads.policy(),
    reads.pinnedDecimals(),
    reads.policyHistory({ page: 0, pageSize: POLICIES_READ }),
  ]);
  if (life === undefined) return undefined;
  const rule = depositRule(policy?.policy ?? NO_POLICY, life.deposit);
  return { life, rule, decimals, policies: policies.items };
}

const DONE: Record<DepositDecision, string> = {
  approve: 'The approval is recorded.',
  attribute: 'The deposit has its owner.',
  release: 'The deposit is released.',
  hold: 'The deposit is held.',
};

function mountList(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, missing } = context;
  const known = knownFilters(context, { filters: NAMES, others: ['after', 'before'] });
  app.get(PATH, known, async (pageRequest) => {
    const filter = filterValues(NAMES, pageRequest.req.query());
    const decimals = await reads.pinnedDecimals();
    const cursor = cursorOf(pageRequest.req.query());
    if (cursor !== null && (await reads.deposit(cursor.depositId)) === undefined) {
      const text = `There is no deposit ${cursor.depositId}, at which this page of the list begins.`;
      return missing(pageRequest, text);
    }
    const result = await readList(reads, filter, { decimals, cursor });
    const person = pageRequest.get('visitor')?.name ?? null;
    const body = <DepositsPage {...{ filter, decimals, person, result }} />;
    return show(pageRequest, { title: 'Deposits', body }, 'problem' in result ? 400 : 200);
  });

  for (const format of TABLE_FORMATS) {
    app.get(`${PATH}.${format}`, known, async (pageRequest) => {
      const decimals = await reads.pinnedDecimals();
      const filter = filterValues(NAMES, pageRequest.req.query());
      const asked = searchOf(filter, decimals);
      if ('problem' in asked) return tableRefusal(pageRequest, asked.problem);
      const { rows, isWhole } = await readForTable(reads, asked.search);
      return tableDownload(pageRequest, depositsTable(rows, decimals), {
        format,
        fileName: isWhole ? 'deposits' : `deposits-first-${rows.length}`,
        facts: [...Object.entries(filter), ['deposits', rows.length]],
      });
    });
  }
}

function allowedTo({ may }: ConsoleContext, pageRequest: PageRequest, depositId: string): Allowed {
  const path = `/v1/deposits/${encodeURIComponent(depositId)}`;
  return {
    decisions: new Set(
      DECISIONS.filter((decision) =>
        may(pageRequest, { method: 'POST', path: `${path}/${decision}` }),
      ),
    ),
    name: pageRequest.get('visitor')?.name,
    role: pageRequest.get('visitor')?.role,
  };
}

function mountOne(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  app.get(`${PATH}/:id`, async (pageRequest) => {
    const depositId = pageRequest.req.param('id');
    const read = await readDepositPage(context.reads, depositId);
    if (read === undefined)
      return context.missing(pageRequest, `There is no deposit ${depositId}.`);
    const allowed = allowedTo(context, pageRequest, depositId);
    const shown = { ...read, allowed, showsBodies: context.may(pageRequest, bodyCall()) };
    return context.show(pageRequest, {
      title: `Deposit ${depositId}`,
      body: <DepositPage shown={shown} />,
    });
  });
}

function mountDecisions(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  for (const decision of DECISIONS) {
    app.post(`${PATH}/:id/${decision}`, async (pageRequest) => {
      const depositId = pageRequest.req.param('id');
      const fields: Fields = await pageRequest.req.parseBody();
      const attributedTo = textOf(fields, 'attributedTo');
      const path = encodeURIComponent(depositId);
      return context.perform(pageRequest, {
        method: 'POST',
        path: `/v1/deposits/${path}/${decision}`,
        body: {
          ...(decision === 'attribute' ? { attributedTo } : {}),
          ...basisIn(fields),
          reason: textOf(fields, 'reason'),
        },
        done: DONE[decision],
        back: `${PATH}/${path}`,
      });
    });
  }
}

/** `/console/deposits`: the list, one deposit's life, and the decisions about it. */
export function mountDeposits(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  mountList(app, context);
  mountOne(app, context);
  mountDecisions(app, context);
}
