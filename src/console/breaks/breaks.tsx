import type { Hono } from 'hono';
import { TABLE_FORMATS } from '../../report/tables/table-documents.ts';
import { basisIn, textOf, textsOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { pageOf } from '../../pages/parts/list/link.ts';
import type { ConsoleContext, ConsoleEnv, PageRequest } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { ownPage } from '../frame/own-page.ts';
import { tableDownload, tableRefusal } from '../parts/list/table-download.ts';
import { notAnAmount } from '../parts/value/amounts.ts';
import { BreakPage, readOneBreak } from './break/break-page.tsx';
import { BULK_MAX, callOf, DONE, doneText, seenIn, STEPS, type StepWords } from './queue/bulk.tsx';
import { correctionCall, correctionOf } from './break/decimals.tsx';
import { exemptAction } from './exempt/exempt.tsx';
import { EXEMPTIONS_PATH, ExemptionsPage } from './exempt/exemptions-page.tsx';
import { areKnown, filterOf, NAMES, PATH, queryOf } from './filter.ts';
import { GuidePage } from './guide/guide-page.tsx';
import { typeText } from '../parts/break-causes.ts';
import { QueuePage, readQueue } from './queue/queue.tsx';
import { breaksTable, TABLE_ROWS_MAX } from './queue/table.ts';
import { bodyCall } from '../parts/fact/body-call.ts';

function wordsOf(fields: Fields): StepWords {
  return { reason: textOf(fields, 'reason'), assignee: textOf(fields, 'assignee') };
}

/** `/console/breaks/exemptions`, and the forms that add and end a rule. */
function mountExemptions(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, may, perform } = context;
  app.get(EXEMPTIONS_PATH, async (pageRequest) => {
    const mayAct = may(pageRequest, { method: 'POST', path: '/v1/exemptions' });
    const [shown, decimals] = await Promise.all([reads.exemptions(), reads.pinnedDecimals()]);
    const looking = { now: now(), mayAct };
    return show(pageRequest, {
      title: 'Exemption rules',
      body: <ExemptionsPage {...{ shown, looking, decimals }} />,
    });
  });
  app.post(`${EXEMPTIONS_PATH}/:rule/end`, async (pageRequest) => {
    const fields: Fields = await pageRequest.req.parseBody();
    const rule = pageRequest.req.param('rule');
    return perform(pageRequest, {
      method: 'POST',
      path: `/v1/exemptions/${encodeURIComponent(rule)}/end`,
      body: { reason: textOf(fields, 'reason'), ...basisIn(fields) },
      done: `The rule ${rule} has ended. The next run opens breaks for what still differs.`,
      back: EXEMPTIONS_PATH,
    });
  });
  app.post(`${PATH}/:id/exempt`, async (pageRequest) => {
    const id = pageRequest.req.param('id');
    const fields: Fields = await pageRequest.req.parseBody();
    const action = exemptAction(id, fields, await reads.pinnedDecimals());
    return perform(pageRequest, { ...action, back: `${PATH}/${encodeURIComponent(id)}` });
  });
}

const LINK_NAMES = {
  filters: NAMES,
  others: ['page', 'chosen'],
  values: { areKnown, unknown: 'There is no such state, type, severity or age of breaks.' },
};

/** The queue as files. */
function mountFiles(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now } = context;
  const known = knownFilters(context, LINK_NAMES);
  for (const format of TABLE_FORMATS) {
    app.get(`${PATH}.${format}`, known, async (pageRequest) => {
      const filter = filterOf(pageRequest.req.query());
      const problem = notAnAmount(filter.amount);
      if (problem !== null) return tableRefusal(pageRequest, problem);
      const decimals = await reads.pinnedDecimals();
      const query = queryOf(filter, { now: now(), decimals });
      const { items, total } = await reads.breaks(query, { page: 0, pageSize: TABLE_ROWS_MAX });
      const isWhole = items.length === total;
      return tableDownload(pageRequest, breaksTable(items, decimals), {
        format,
        fileName: isWhole ? 'breaks' : `breaks-first-${items.length}`,
        facts: [...Object.entries(filter), ['breaks', `${items.length} of ${total}`]],
      });
    });
  }
}

/** `/console/breaks`: the queue, one break, the guide, and the steps of people. */
export function mountBreaks(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing, may, perform, performAll } = context;
  const lookingOf = (pageRequest: PageRequest, isChosen = false) => ({
    now: now(),
    mayAct: may(pageRequest, { method: 'POST', path: '/v1/breaks/brk/resolve' }),
    mayCorrectDecimals: may(pageRequest, correctionOf('asset')),
    name: pageRequest.get('visitor')?.name ?? null,
    role: pageRequest.get('visitor')?.role,
    isChosen,
  });
  app.get(PATH, knownFilters(context, LINK_NAMES), async (pageRequest) => {
    const filter = filterOf(pageRequest.req.query());
    const looking = lookingOf(pageRequest, pageRequest.req.query('chosen') === 'all');
    const page = pageOf(pageRequest.req.query('page'));
    const queue = await readQueue(reads, filter, { page, now: looking.now });
    const problem = notAnAmount(filter.amount);
    const body = <QueuePage {...{ queue, filter, looking, problem }} />;
    return show(pageRequest, { title: 'Breaks', body }, problem === null ? 200 : 400);
  });
  mountFiles(app, context);
  app.get(`${PATH}/guide`, (pageRequest) =>
    show(pageRequest, { title: 'What to do about each break', body: <GuidePage /> }),
  );
  mountExemptions(app, context);
  app.get(`${PATH}/:id`, async (pageRequest) => {
    const id = pageRequest.req.param('id');
    const mayReadBodies = may(pageRequest, bodyCall());
    const shown = await readOneBreak(reads, id, { mayReadBodies });
    if (shown === undefined) return missing(pageRequest, `There is no break ${id}.`);
    const body = <BreakPage {...{ shown, looking: lookingOf(pageRequest) }} />;
    return show(pageRequest, { title: `${typeText(shown.one.type)} ${id}`, body });
  });
  app.post(`${PATH}/bulk`, async (pageRequest) => {
    const fields: Fields = await pageRequest.req.parseBody({ all: true });
    const step = STEPS.find((one) => one === textOf(fields, 'step'));
    if (step === undefined) return missing(pageRequest, 'There is no such step.');
    const given = textOf(fields, 'back');
    const back = given === PATH || given.startsWith(`${PATH}?`) ? ownPage(given) : PATH;
    const words = wordsOf(fields);
    const calls = textsOf(fields, 'break')
      .slice(0, BULK_MAX)
      .map(seenIn)
      .map((seen) => ({ ...callOf(step, seen, words), about: seen.breakId }));
    const done = (count: number): string => doneText(step, count);
    return performAll(pageRequest, { calls, done, back, written: { ...words } });
  });
  app.post(`${PATH}/:id/decimals`, async (pageRequest) => {
    const call = correctionCall(await pageRequest.req.parseBody());
    const done = 'The decimals are corrected. Deposits that came with them go on.';
    const back = `${PATH}/${encodeURIComponent(pageRequest.req.param('id'))}`;
    return perform(pageRequest, { ...call, done, back });
  });
  for (const step of STEPS) {
    app.post(`${PATH}/:id/${step}`, async (pageRequest) => {
      const id = pageRequest.req.param('id');
      const fields: Fields = await pageRequest.req.parseBody();
      const seen = { breakId: id, version: textOf(fields, 'basis') };
      const call = callOf(step, seen, wordsOf(fields));
      const back = `${PATH}/${encodeURIComponent(id)}`;
      return perform(pageRequest, { ...call, done: `The break is ${DONE[step]}.`, back });
    });
  }
}
