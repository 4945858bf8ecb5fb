import type { Context } from 'hono';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import type { ApiCall, ApiResult, ApiRoute } from '../../api/acting.ts';
import type { Documents } from '../../report/document.ts';
import type { TableDocuments } from '../../report/tables/table-documents.ts';
import type { Reads } from '../../store/reads.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import type { Caller } from '../../api/access.ts';

/** What the console's handlers find in their context. */
export interface ConsoleEnv {
  /** Node's connection of a request; absent in tests without a server. */
  Bindings: { readonly source?: string };
  /** `visitor`: who is signed in; absent for a stranger in a public console. `sessionId`: their session. */
  Variables: SecureHeadersVariables & { visitor?: Caller; sessionId?: string };
}

/** A request to the console. */
export type PageRequest = Context<ConsoleEnv>;

/** A page; the frame adds navigation, search and messages. */
export interface Page {
  /** `Runs`, and for a detail its name first: `Run 12 · Runs`. */
  readonly title: string;
  readonly body: Markup;
  /** Reloads itself in browsers without scripts; only a page without any form may. */
  readonly reloads?: boolean;
}

/** An action that was done, and probably has no effect; what the person should do. */
export interface Doubt {
  readonly title: string;
  readonly detail: string;
}

/** An action of a person: one call of the API. */
export interface Action extends ApiCall {
  /** The message after success: `Deposit dep_1 is held.` */
  readonly done: string;
  /** Shown in place of `done`: a doubt about the result, from the answer's body; null: no doubt. */
  readonly doubts?: (body: unknown) => Doubt | null;
  /** What is wrong with the form, found before the call: the API is not called. */
  readonly problem?: string | null;
  /** What the person wrote, where the call's body has it in another form. */
  readonly written?: Readonly<Record<string, string>>;
  /** The page of the console to return to. */
  readonly back: string;
}

/** One action on several things: a call of the API for each. */
export interface Actions {
  readonly calls: readonly (ApiCall & {
    /** The id of its thing, by which a refusal names it. */
    readonly about: string;
  })[];
  /** What the person wrote into the form, by field: every call repeats it. */
  readonly written: Readonly<Record<string, string>>;
  /** The message after success, by how many calls succeeded: `12 breaks are resolved.` */
  readonly done: (count: number) => string;
  /** The page of the console to return to. */
  readonly back: string;
}

/** What a room of pages needs; everything that it shows or does passes through here. */
export interface ConsoleContext {
  readonly reads: Reads;
  /** Closed days as documents. */
  readonly document: Documents;
  /** Balances and statements as spreadsheets. */
  readonly table: TableDocuments;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The IANA time zone in which days end, `reconcile.timezone`. */
  readonly timezone: string;
  /** Answers with a page in the frame. */
  readonly show: (
    pageRequest: PageRequest,
    page: Page,
    status?: 200 | 400 | 403 | 404 | 409 | 503,
  ) => Promise<Response>;
  /** Answers 404 with a page that says what is missing and where to look. */
  readonly missing: (pageRequest: PageRequest, text: string) => Promise<Response>;
  /** Answers 403 with a page that says which roles may make a call. */
  readonly denied: (pageRequest: PageRequest, call: ApiRoute) => Promise<Response>;
  /** Whether the visitor's role allows a call; a page hides the button otherwise. */
  readonly may: (pageRequest: PageRequest, call: ApiRoute) => boolean;
  /** Calls the API as the visitor. A stranger's call is refused. */
  readonly act: (pageRequest: PageRequest, call: ApiCall) => Promise<ApiResult>;
  /** Calls the API as the visitor and redirects (303), with a message about the result. */
  readonly perform: (pageRequest: PageRequest, action: Action) => Promise<Response>;
  /** Calls the API for each thing and redirects (303), with one message about all results. */
  readonly performAll: (pageRequest: PageRequest, actions: Actions) => Promise<Response>;
}
