import type { IncomingMessage, ServerResponse } from 'node:http';
import { SessionNotFound } from 'oidc-provider/lib/helpers/errors.js';
import type { Provider } from 'oidc-provider';
import type { ClientRegistry } from '../auth/client.ts';
import { readText } from '../api/request/request-body.ts';
import { failurePage, loginPage, PAGE_HEADERS } from './login-page.ts';

/** Path of the login page; the provider's id of the login follows. */
export const LOGIN_PATH = '/login/';
/** Longest form: an e-mail address and a choice. */
const FORM_BYTES_MAX = 4096;

/** The users who can log in: the core's user clients. They are read at every step. */
export type DevelopmentUsers = Pick<ClientRegistry, 'byEmail' | 'byId' | 'emails'>;

interface FormParts {
  readonly provider: Provider;
  readonly users: DevelopmentUsers;
}

interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Serves the page of one login: GET shows the form, POST takes the user's choice. */
export async function serveLogin(
  { request, response }: HttpExchange,
  parts: FormParts,
): Promise<void> {
  const { provider, users } = parts;
  try {
    // The library identifies the login by a cookie, so another browser cannot answer the form.
    const { uid, params } = await provider.interactionDetails(request, response);
    const ask = async (status: 200 | 401, email: string, error?: string): Promise<void> => {
      const action = `${LOGIN_PATH}${uid}`;
      send(response, status, await loginPage({ action, emails: users.emails(), email, error }));
    };
    if (request.method !== 'POST') return await ask(200, '');
    const form = new URLSearchParams(await readText(request, FORM_BYTES_MAX));
    if (form.get('decision') === 'refuse') {
      const refusal = { error: 'access_denied', error_description: 'The user refused' };
      return await provider.interactionFinished(request, response, refusal);
    }
    const email = form.get('email')?.trim() ?? '';
    const user = users.byEmail(email);
    if (user === undefined)
      return await ask(401, email, 'No user of the core has this e-mail address.');
    const consent = { grantId: await grantOf(provider, user.clientId, params) };
    const login = { accountId: user.clientId, remember: false };
    return await provider.interactionFinished(request, response, { login, consent });
  } catch (error) {
    if (error instanceof SessionNotFound || error instanceof RangeError) {
      return send(
        response,
        400,
        await failurePage('This login is unknown, expired or already used.'),
      );
    }
    throw error;
  }
}

async function grantOf(
  provider: Provider,
  accountId: string,
  params: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { client_id: clientId, scope } = params;
  if (typeof clientId !== 'string') throw new Error('a login without a client');
  const grant = new provider.Grant({ accountId, clientId });
  if (typeof scope === 'string') grant.addOIDCScope(scope);
  return grant.save();
}

function send(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, PAGE_HEADERS);
  response.end(page);
}
