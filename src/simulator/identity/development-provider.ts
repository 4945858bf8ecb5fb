import { generateKeyPair, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { Provider } from 'oidc-provider/lib/provider.js';
import type { Configuration, JWK } from 'oidc-provider';
import { baseUrlOf, closeServer, listenOn } from '../http-server.ts';
import { ArtifactStore } from './artifact-store.ts';
import type { IdentityProviderSettings } from './identity-provider.ts';
import { LOGIN_PATH, serveLogin } from './login-form.ts';
import type { DevelopmentUsers } from './login-form.ts';
import { failurePage, PAGE_HEADERS } from './login-page.ts';

/** The provider asks for no password, so only this machine may reach it. */
const HOST = '127.0.0.1';
/** Path of the library's authorization endpoint. The way back into a running login is below it. */
const AUTHORIZATION = '/auth';
const CLIENT_ID = 'custody-core';

/** Lifetimes in seconds, on the machine's clock. */
const LOGIN_TTL = 10 * 60;
const CODE_TTL = 60;

export interface DevelopmentProviderOptions {
  readonly users: DevelopmentUsers;
  /** The only address to which browsers are sent back. */
  readonly redirectUri: string;
  /** Port to listen on; 0 for any free one. */
  readonly port: number;
  /** Called for every bug. */
  readonly onBug: (error: unknown) => void;
}

export interface RunningDevelopmentProvider {
  readonly settings: IdentityProviderSettings;
  stop(): Promise<void>;
}

/**
 * Starts the development identity provider on its own loopback port: OpenID Connect with PKCE for
 * one client, the core. Its login page needs no script. Rejects when the port is taken.
 */
export async function startDevelopmentProvider(
  options: DevelopmentProviderOptions,
): Promise<RunningDevelopmentProvider> {
  const server = createServer();
  // The issuer's name contains the port, so the server listens first.
  const port = await listenOn(server, { host: HOST, port: options.port });
  const issuer = baseUrlOf(HOST, port);
  const clientSecret = randomBytes(32).toString('base64url');
  const provider = new Provider(issuer, await configurationOf(options, clientSecret));
  provider.on('server_error', (_context, error) => options.onBug(error));
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const path = request.url ?? '';
    if (path.startsWith(AUTHORIZATION)) forgetSession(request, provider);
    const answered = path.startsWith(LOGIN_PATH)
      ? serveLogin({ request, response }, { provider, users: options.users })
      : handle(request, response);
    answered.catch((error: unknown) => {
      options.onBug(error);
      response.destroy();
    });
  });
  return {
    settings: { issuer, clientId: CLIENT_ID, clientSecret },
    stop: () => closeServer(server),
  };
}

/**
 * Removes the session cookie, so that nobody stays logged in. Developers log in as one user after
 * another. With a session the library would ask to log the earlier user out, on a page that needs a
 * script.
 */
function forgetSession({ headers }: IncomingMessage, provider: Provider): void {
  const session = provider.cookieName('session');
  const kept = (headers.cookie ?? '').split(/; */).filter((pair) => !pair.startsWith(session));
  headers.cookie = kept.join('; ');
}

async function signingKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
}

async function configurationOf(
  { users, redirectUri }: DevelopmentProviderOptions,
  clientSecret: string,
): Promise<Configuration> {
  const store = new ArtifactStore();
  return {
    adapter: (model) => store.adapter(model),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    clientBasedCORS: () => false,
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    expiresWithSession: () => false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    findAccount: (_context, id) => {
      const user = users.byId(id);
      return user === undefined
        ? undefined
        : {
            accountId: id,
            claims: () => ({ sub: id, email: user.email, email_verified: true }),
          };
    },
    interactions: { url: (_context, { uid }) => `${LOGIN_PATH}${uid}` },
    jwks: { keys: [await signingKey()] },
    pkce: { required: () => true },
    renderError: async (context, out) => {
      context.set(PAGE_HEADERS);
      context.body = await failurePage(out.error_description ?? out.error);
    },
    responseTypes: ['code'],
    ttl: {
      AccessToken: CODE_TTL,
      AuthorizationCode: CODE_TTL,
      Grant: LOGIN_TTL,
      IdToken: CODE_TTL,
      Interaction: LOGIN_TTL,
      Session: LOGIN_TTL,
    },
  };
}
