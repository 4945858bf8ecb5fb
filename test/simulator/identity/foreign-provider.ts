import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import { closeServer, listenOn } from '../../../src/simulator/http-server.ts';
import { ArtifactStore } from '../../../src/simulator/identity/artifact-store.ts';

export const CLIENT_ID = 'the-core';
export const CLIENT_SECRET = 'a secret of sixty-four characters, or so it says in its manual';

/** The provider's claims about the one user who is logged in there. */
export type Claims = Readonly<Record<string, unknown>>;

export interface ForeignProvider {
  readonly issuer: string;
  readonly port: number;
  /** Sets the user who consents from now on. */
  logIn(claims: Claims): void;
  stop(): Promise<void>;
}

const SUBJECT = 'subject-1';

const clockAhead = new AsyncLocalStorage<number>();

/** Lets the provider's own code run at another clock; everything else keeps the machine's. */
function useProviderClock(): void {
  const machine = Date.now;
  const clock = vi.spyOn(Date, 'now');
  clock.mockImplementation(() => machine() + (clockAhead.getStore() ?? 0));
  onTestFinished(() => clock.mockRestore());
}

/** An OpenID provider of a third party, whose user always consents at once. */
export async function startForeignProvider(options: {
  readonly redirectUris: readonly string[];
  readonly port?: number;
  /** A client whose redirect addresses on this machine may have any port (RFC 8252, 7.3). */
  readonly native?: boolean;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  readonly clockAheadMs?: number;
  /** A public client, which has no secret. */
  readonly publicClient?: boolean;
  /** Whether the claims of scopes are in the ID token instead of at the UserInfo endpoint. */
  readonly claimsInIdToken?: boolean;
}): Promise<ForeignProvider> {
  const { clockAheadMs = 0 } = options;
  if (clockAheadMs !== 0) useProviderClock();
  const server = createServer();
  const port = await listenOn(server, { host: '127.0.0.1', port: options.port ?? 0 });
  const issuer = `http://127.0.0.1:${port}`;
  const store = new ArtifactStore();
  let claims: Claims = {};
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    adapter: (model) => store.adapter(model),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: options.redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        ...(options.native === true ? { application_type: 'native' as const } : {}),
        ...(options.publicClient === true
          ? { token_endpoint_auth_method: 'none' }
          : { client_secret: CLIENT_SECRET }),
      },
    ],
    conformIdTokenClaims: options.claimsInIdToken !== true,
    cookies: { keys: ['cookie key'] },
    expiresWithSession: () => false,
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...claims }),
    }),
    interactions: { url: (_context, { uid }) => `/consent/${uid}` },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
  const consent = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: SUBJECT, clientId: CLIENT_ID });
    grant.addOIDCScope('openid email profile');
    const grantId = await grant.save();
    const login = { accountId: SUBJECT };
    await provider.interactionFinished(request, response, { login, consent: { grantId } });
  };
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const serve = request.url?.startsWith('/consent/') === true ? consent : handle;
    clockAhead
      .run(clockAheadMs, () => serve(request, response))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  return {
    issuer,
    port,
    logIn: (received) => {
      claims = received;
    },
    stop: () => closeServer(server),
  };
}
