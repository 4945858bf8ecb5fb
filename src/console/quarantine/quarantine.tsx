import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { textOf, textsOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { pageOf } from '../../pages/parts/list/link.ts';
import { KeptPage, readKept } from './kept-page.tsx';
import { PATH, QuarantinePage, readQuarantine, RETRY_FORM, stateOf } from './list-page.tsx';

/** Bodies that one form reads again: more than a page shows. */
const RETRIES_MAX = 100;

const DONE = 'The body was read again, and takes effect now.';

function retryOf(id: string, reason: string) {
  const path = `/v1/quarantine/${encodeURIComponent(id)}/retry`;
  return { method: 'POST', path, body: { reason } } as const;
}

function doneText(count: number): string {
  return count === 1 ? DONE : `${count} bodies were read again, and take effect now.`;
}

/** `/console/quarantine`: bodies that could not be read, each with its bytes, and their retries. */
export function mountQuarantine(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing, may, perform, performAll } = context;
  app.get(PATH, async (visit) => {
    const state = stateOf(visit.req.query('state'));
    const found = await readQuarantine(reads, { page: pageOf(visit.req.query('page')), state });
    const mayRetry = may(visit, retryOf('qtn', ''));
    const body = <QuarantinePage {...{ found, state, mayRetry }} now={now()} />;
    return show(visit, { title: 'Quarantine', body });
  });
  app.get(`${PATH}/:id`, async (visit) => {
    const id = visit.req.param('id');
    const mayReadBodies = may(visit, { method: 'GET', path: '/v1/journal/1/body' });
    const kept = await readKept(reads, id, { mayReadBodies });
    if (kept === undefined) return missing(visit, `The quarantine has no ${id}.`);
    const body = <KeptPage kept={kept} mayRetry={may(visit, retryOf(id, ''))} />;
    return show(visit, { title: `Quarantined ${id}`, body });
  });
  app.post(`${PATH}/${RETRY_FORM}`, async (visit) => {
    const fields: Fields = await visit.req.parseBody({ all: true });
    const calls = textsOf(fields, 'kept')
      .slice(0, RETRIES_MAX)
      .map((id) => retryOf(id, textOf(fields, 'reason')));
    return performAll(visit, { calls, done: doneText, back: PATH });
  });
  app.post(`${PATH}/:id/retry`, async (visit) => {
    const id = visit.req.param('id');
    const reason = textOf(await visit.req.parseBody(), 'reason');
    const back = `${PATH}/${encodeURIComponent(id)}`;
    return perform(visit, { ...retryOf(id, reason), done: DONE, back });
  });
}
