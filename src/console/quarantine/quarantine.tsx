import type { Hono } from 'hono';
import { versionText } from '../../domain/fact/basis.ts';
import { quarantineParts } from '../../domain/fact/quarantined.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { basisIn, textOf, textsOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { pageOf } from '../../pages/parts/list/link.ts';
import { KeptPage, readKept } from './kept-page.tsx';
import { PATH, QuarantinePage, RETRY_FORM, stateOf } from './list-page.tsx';
import { bodyCall } from '../parts/fact/body-call.ts';

const PAGE_SIZE = 50;
/** Bodies that one form reads again: more than a page shows. */
const RETRIES_MAX = 100;

const DONE = 'The body was read again, and takes effect now.';

function retryOf(id: string, words: { reason: string; basis?: string } = { reason: '' }) {
  const path = `/v1/quarantine/${encodeURIComponent(id)}/retry`;
  return { method: 'POST', path, body: words } as const;
}

/** The version of every ticked body: only bodies that nobody has retried have a box. */
const LISTED = versionText(quarantineParts({ state: 'kept' }));

function doneText(count: number): string {
  return count === 1 ? DONE : `${count} bodies were read again, and take effect now.`;
}

/** `/console/quarantine`: bodies that could not be read, each with its bytes, and their retries. */
export function mountQuarantine(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing, may, perform, performAll } = context;
  const values = {
    areKnown: ({ state = '' }) => state === '' || stateOf(state) !== undefined,
    unknown: 'There is no such state of quarantined bodies.',
  };
  const known = knownFilters(context, { filters: ['state'], others: ['page'], values });
  app.get(PATH, known, async (pageRequest) => {
    const state = stateOf(pageRequest.req.query('state') ?? '');
    const page = pageOf(pageRequest.req.query('page'));
    const found = await reads.quarantine({ page, pageSize: PAGE_SIZE, ...(state && { state }) });
    const mayRetry = may(pageRequest, retryOf('qtn'));
    const body = <QuarantinePage {...{ found, state, mayRetry }} now={now()} />;
    return show(pageRequest, { title: 'Quarantine', body });
  });
  app.get(`${PATH}/:id`, async (pageRequest) => {
    const id = pageRequest.req.param('id');
    const mayReadBodies = may(pageRequest, bodyCall());
    const kept = await readKept(reads, id, { mayReadBodies });
    if (kept === undefined) return missing(pageRequest, `The quarantine has no ${id}.`);
    const body = <KeptPage kept={kept} mayRetry={may(pageRequest, retryOf(id))} />;
    return show(pageRequest, { title: `Quarantined ${id}`, body });
  });
  app.post(`${PATH}/${RETRY_FORM}`, async (pageRequest) => {
    const fields: Fields = await pageRequest.req.parseBody({ all: true });
    const written = { reason: textOf(fields, 'reason') };
    const calls = textsOf(fields, 'kept')
      .slice(0, RETRIES_MAX)
      .map((id) => ({ ...retryOf(id, { ...written, basis: LISTED }), about: id }));
    return performAll(pageRequest, { calls, done: doneText, back: PATH, written });
  });
  app.post(`${PATH}/:id/retry`, async (pageRequest) => {
    const id = pageRequest.req.param('id');
    const fields: Fields = await pageRequest.req.parseBody();
    const words = { reason: textOf(fields, 'reason'), ...basisIn(fields) };
    const back = `${PATH}/${encodeURIComponent(id)}`;
    return perform(pageRequest, { ...retryOf(id, words), done: DONE, back });
  });
}
