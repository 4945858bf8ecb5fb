import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { mountAssets } from '../../pages/assets/assets.ts';
import { FramedPage } from '../../pages/frame/document.tsx';
import { readForm } from '../../pages/frame/form-body.ts';
import { mountHeaders } from '../../pages/frame/headers.ts';
import type { Message } from '../../pages/parts/notice.tsx';
import type { Section, Site } from '../../pages/frame/site.ts';
import { Listeners } from '../../pages/live/listeners.ts';
import { liveStream } from '../../pages/live/stream.ts';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { ControlServices } from '../control/control-services.ts';
import type { State } from '../state/state.ts';
import { mountChains } from './chains/chains.tsx';
import { HOME } from './context.ts';
import type { Action, InspectorContext, InspectorEnv, Page, PageRequest } from './context.ts';
import { mountDeliveries } from './deliveries/deliveries.tsx';
import { mountFaults } from './faults.tsx';
import { mountMailbox } from './mailbox.tsx';
import { Messages } from './messages.ts';
import { mountOverview } from './overview.tsx';
import { mountSearch } from './search.tsx';
import { mountSnapshots } from './snapshots.tsx';
import { ACTED, topicsOf } from './topics.ts';
import { mountTransactions } from './transactions/transactions.tsx';
import { mountVaults } from './vaults/vaults.tsx';

/** Larger than any form. */
const FORM_BYTES_MAX = 64 * 1024;

const SECTIONS: readonly Section[] = [
  { name: 'Overview', path: HOME, key: 'o' },
  { name: 'Deliveries', path: `${HOME}/deliveries`, key: 'd' },
  { name: 'Transactions', path: `${HOME}/transactions`, key: 't' },
  { name: 'Chains', path: `${HOME}/chains`, key: 'c' },
  { name: 'Vaults', path: `${HOME}/vaults`, key: 'v' },
  { name: 'Faults', path: `${HOME}/faults`, key: 'f' },
  { name: 'Mailbox', path: `${HOME}/mailbox`, key: 'm' },
  { name: 'Snapshots', path: `${HOME}/snapshots`, key: 's' },
];

/** The open pages of the inspector. They hear which parts of them a change of the state concerns. */
export class OpenPages extends Listeners {
  constructor(state: State) {
    super();
    state.onChange(({ table }) => {
      const topics = this.listening === 0 ? [] : topicsOf(table);
      if (topics.length > 0) this.announce(topics);
    });
  }
}

export interface InspectorParts {
  readonly services: ControlServices;
  readonly openPages: OpenPages;
  /** Base address of the API, once it listens. */
  readonly apiUrl: () => string;
}

const answered = z.record(z.string(), z.unknown());

/** Makes the control call of an action, and says what came of it. */
async function call(
  control: Hono<{ Bindings: HttpBindings }>,
  { method, path, body, done }: Action,
): Promise<Message> {
  // The request never leaves the process, so it names the core itself as its host.
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await control.request(path, { method, headers, ...sent });
  const read = answered.parse(await answer.json());
  if (answer.ok) return { tone: 'good', title: done(read), detail: null };
  const { errorMessage } = read;
  const detail = typeof errorMessage === 'string' ? errorMessage : null;
  return { tone: 'alarm', title: 'The core refused it', detail };
}

function contextOf(
  control: Hono<{ Bindings: HttpBindings }>,
  site: Site,
  { services, openPages, apiUrl }: InspectorParts,
): InspectorContext {
  const messages = new Messages();
  const show = async (pageRequest: PageRequest, page: Page, status: 200 | 404 = 200) => {
    const isLive = pageRequest.req.header('X-Live') !== undefined;
    const framed = (
      <FramedPage
        site={site}
        title={page.title}
        body={page.body}
        path={pageRequest.req.path}
        reloads={page.reloads === true}
        live={site.live}
        aside={<a href={`${apiUrl()}/docs`}>API</a>}
        message={isLive ? null : messages.take(pageRequest.req.query('said'))}
      />
    );
    return pageRequest.html(html`<!doctype html>${framed}`, status);
  };
  return {
    services,
    decimals: new Map(
      services.world
        .networks()
        .flatMap(({ assets }) => assets.map(({ asset, decimals }) => [asset, decimals])),
    ),
    show,
    missing: (pageRequest, text) =>
      show(pageRequest, { title: 'Not found', body: <EmptyState title={text} /> }, 404),
    perform: async (pageRequest, action) => {
      const said = messages.leave(await call(control, action));
      openPages.announce(ACTED);
      const { back } = action;
      return pageRequest.redirect(`${back}${back.includes('?') ? '&' : '?'}said=${said}`, 303);
    },
  };
}

/**
 * Adds the inspector, `/inspector/…`, to the control application: web pages that show the core and
 * press its control calls. The control application has checked the request's host and site before.
 */
export function mountInspector(
  control: Hono<{ Bindings: HttpBindings }>,
  parts: InspectorParts,
): void {
  const app = new Hono<InspectorEnv>();
  mountHeaders(app, { below: HOME, secure: false, referrerPolicy: 'same-origin' });
  app.use(`${HOME}/*`, readForm(FORM_BYTES_MAX));
  app.get('/', (pageRequest) => pageRequest.redirect(HOME, 302));
  const assets = mountAssets(app, `${HOME}/assets`);
  const stream = `${HOME}/live`;
  app.get(stream, (pageRequest) => liveStream(pageRequest, parts.openPages, () => true));
  const context = contextOf(
    control,
    {
      name: 'Custody core',
      home: HOME,
      assets,
      sections: SECTIONS,
      search: { action: `${HOME}/search`, label: 'Search by id, hash or address' },
      live: { stream },
    },
    parts,
  );
  mountOverview(app, context);
  mountDeliveries(app, context);
  mountTransactions(app, context);
  mountChains(app, context);
  mountVaults(app, context);
  mountFaults(app, context);
  mountMailbox(app, context);
  mountSnapshots(app, context);
  mountSearch(app, context);
  control.route('/', app);
}
