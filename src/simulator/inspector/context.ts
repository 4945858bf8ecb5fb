import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import type { ControlServices } from '../control/control-services.ts';

/** The path of the inspector's first page; every other page is below it. */
export const HOME = '/inspector';

export interface InspectorEnv {
  Bindings: HttpBindings;
  Variables: SecureHeadersVariables;
}

/** A request to the inspector. */
export type PageRequest = Context<InspectorEnv>;

/** A page; the frame adds navigation, search and messages. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** Reloads itself in browsers without scripts; only a page without any form may. */
  readonly reloads?: boolean;
}

/** A control call that a button makes. */
export interface Action {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** `/sim/…`. */
  readonly path: string;
  readonly body?: unknown;
  /** The message after success, from the call's answer. */
  readonly done: (answer: Readonly<Record<string, unknown>>) => string;
  /** The page to return to. */
  readonly back: string;
}

/** What the pages need. They read the services, and act through the control calls alone. */
export interface InspectorContext {
  readonly services: ControlServices;
  readonly decimals: Decimals;
  readonly show: (pageRequest: PageRequest, page: Page, status?: 200 | 404) => Promise<Response>;
  readonly missing: (pageRequest: PageRequest, text: string) => Promise<Response>;
  /** Makes a control call and redirects (303), with a message about the result. */
  readonly perform: (pageRequest: PageRequest, action: Action) => Promise<Response>;
}
