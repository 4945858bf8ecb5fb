import type { Hono } from 'hono';
import { pageOf } from '../parts/link.ts';
import type { ConsoleContext, ConsoleEnv, Visit } from '../frame/context.ts';
import { BreakPage, readOneBreak } from './break-page.tsx';
import { BULK_MAX, callOf, DONE, doneText, STEPS, type Step, type StepWords } from './bulk.tsx';
import { ruleWordsOf } from './exempt.tsx';
import { filterOf, PATH } from './filter.ts';
import { GuidePage } from './guide-page.tsx';
import { typeText } from './names.tsx';
import { QueuePage, readQueue } from './queue.tsx';

const STEP = `:step{${STEPS.join('|')}}` as const;

type Fields = Readonly<Record<string, unknown>>;

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function wordsOf(fields: Fields): StepWords {
  return { reason: textOf(fields, 'reason'), assignee: textOf(fields, 'assignee') };
}

function stepOf(text: string): Step | undefined {
  return STEPS.find((step) => step === text);
}

/** The ids of the ticked boxes. */
function chosenOf(fields: Fields): string[] {
  const value = fields['break'];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === 'string').slice(0, BULK_MAX);
}

/** `/console/breaks`: the queue, one break, the guide, and the steps of people. */
export function mountBreaks(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing, may, perform, performAll, hrefOf } = context;
  const lookingOf = (visit: Visit, isChosen = false) => ({
    now: now(),
    mayAct: may(visit, { method: 'POST', path: '/v1/breaks/brk/resolve' }),
    name: visit.get('visitor')?.name ?? null,
    isChosen,
    hrefOf,
  });
  app.get(PATH, async (visit) => {
    const filter = filterOf(visit.req.query());
    const queue = await readQueue(reads, filter, pageOf(visit.req.query('page')));
    const looking = lookingOf(visit, visit.req.query('chosen') === 'all');
    return show(visit, { title: 'Breaks', body: <QueuePage {...{ queue, filter, looking }} /> });
  });
  app.get(`${PATH}/guide`, (visit) =>
    show(visit, { title: 'What to do about each break', body: <GuidePage /> }),
  );
  app.get(`${PATH}/:id`, async (visit) => {
    const id = visit.req.param('id');
    const mayReadBodies = may(visit, { method: 'GET', path: '/v1/journal/1/body' });
    const shown = await readOneBreak(reads, id, { mayReadBodies });
    if (shown === undefined) return missing(visit, `There is no break ${id}.`);
    const looking = lookingOf(visit);
    const owner = looking.name ?? '';
    const rule = ruleWordsOf(visit.req.query(), { owner, now: looking.now });
    const title = `${typeText(shown.one.type)} ${id}`;
    return show(visit, { title, body: <BreakPage {...{ shown, looking, rule }} /> });
  });
  app.post(`${PATH}/bulk`, async (visit) => {
    const fields: Fields = await visit.req.parseBody({ all: true });
    const step = stepOf(textOf(fields, 'step'));
    if (step === undefined) return missing(visit, 'There is no such step.');
    const given = textOf(fields, 'back');
    const back = given === PATH || given.startsWith(`${PATH}?`) ? given : PATH;
    const calls = chosenOf(fields).map((id) => callOf(step, id, wordsOf(fields)));
    return performAll(visit, { calls, done: (count) => doneText(step, count), back });
  });
  app.post(`${PATH}/:id/${STEP}`, async (visit) => {
    const id = visit.req.param('id');
    const step = stepOf(visit.req.param('step')) ?? 'notes';
    const call = callOf(step, id, wordsOf(await visit.req.parseBody()));
    const back = `${PATH}/${encodeURIComponent(id)}`;
    return perform(visit, { ...call, done: `The break is ${DONE[step]}.`, back });
  });
}
