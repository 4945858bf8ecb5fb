import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from 'openid-client';
import type { Configuration } from 'openid-client';
import { isLoopback } from '../http-server.ts';

/** Timeout of each request to a provider, on the machine's clock. */
const REQUEST_TIMEOUT_SECONDS = 10;

/** The settings of an OpenID provider at which users of the core can log in. */
export interface IdentityProviderSettings {
  /** Issuer identifier, HTTPS except on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** Without a secret the core is a public client, which only PKCE protects. */
  readonly clientSecret?: string;
}

/**
 * The values that one login sends to the provider and expects back (OpenID Connect Core, section
 * 3.1.2.1).
 */
export interface LoginChecks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The provider cannot be reached or is misconfigured, so the user is not identified. */
export type Unavailable = { readonly kind: 'unavailable'; readonly message: string };
export type ProviderFailure = { readonly kind: 'rejected'; readonly message: string } | Unavailable;

export type Identified = { readonly kind: 'identified'; readonly email: string };

/** Errors between the core and the provider. They say nothing about the user. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

function unavailable(error: Error): Unavailable {
  return { kind: 'unavailable', message: `The identity provider fails: ${error.message}` };
}

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof AuthorizationResponseError) {
    return { kind: 'rejected', message: `The identity provider answered ${error.error}` };
  }
  if (error instanceof ResponseBodyError) {
    // `invalid_grant`: the code is used, expired or issued to another client. Any other error
    // concerns the core and the provider.
    const kind = error.error === 'invalid_grant' ? 'rejected' : 'unavailable';
    return { kind, message: `The identity provider answered ${error.error}` };
  }
  if (error instanceof ClientError && !UNAVAILABLE_CODES.has(error.code ?? '')) {
    return { kind: 'rejected', message: `The identity provider's answer: ${error.message}` };
  }
  // All other errors are network errors of `fetch`.
  if (error instanceof Error) return unavailable(error);
  throw error;
}

/**
 * Logs users in at one provider, as its OpenID Connect client: authorization code with PKCE (S256),
 * state and nonce. ID tokens are checked against the machine's clock, because the provider uses it
 * too.
 */
export class IdentityProvider {
  readonly #settings: () => Promise<IdentityProviderSettings>;
  #configuration: Promise<Configuration> | undefined;

  /** Calls `settings` at the first login, so that a provider can start then. */
  constructor(settings: () => Promise<IdentityProviderSettings>) {
    this.#settings = settings;
  }

  /** Returns the address to which the browser is redirected for the login. */
  async authorizationUrl(
    checks: LoginChecks,
  ): Promise<{ readonly kind: 'ok'; readonly url: URL } | Unavailable> {
    const configuration = await this.#discovered();
    if (configuration instanceof Error) return unavailable(configuration);
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: checks.redirectUri,
      scope: 'openid email',
      response_type: 'code',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { kind: 'ok', url };
  }

  /** Exchanges the provider's answer (the query of the callback) for the user's e-mail address. */
  async identify(
    query: URLSearchParams,
    checks: LoginChecks,
  ): Promise<Identified | ProviderFailure> {
    const configuration = await this.#discovered();
    if (configuration instanceof Error) return unavailable(configuration);
    const answered = new URL(checks.redirectUri);
    answered.search = query.toString();
    try {
      const tokens = await authorizationCodeGrant(configuration, answered, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
      });
      const claims = tokens.claims();
      if (claims === undefined) return { kind: 'rejected', message: 'The ID token is missing' };
      // Some providers return the e-mail address at the UserInfo endpoint only (OpenID Connect
      // Core, section 5.4).
      const { email, email_verified: verified } =
        claims['email'] === undefined
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      return emailOf(email, verified);
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Reads the provider's metadata once. Returns a failure and tries again at the next login. */
  async #discovered(): Promise<Configuration | Error> {
    this.#configuration ??= this.#discover();
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = undefined;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = await this.#settings();
    const server = new URL(issuer);
    const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    // Over plain HTTP only its signature protects the ID token, so the signature is always checked.
    const execute = [enableNonRepudiationChecks];
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out; loopback only
    if (isLoopback(server.hostname)) execute.push(allowInsecureRequests);
    const options = { timeout: REQUEST_TIMEOUT_SECONDS, execute };
    return discovery(server, clientId, undefined, authentication, options);
  }
}

function emailOf(email: unknown, verified: unknown): Identified | ProviderFailure {
  if (typeof email !== 'string') {
    return { kind: 'rejected', message: 'The identity provider returned no e-mail address' };
  }
  // Some providers omit the claim, so only an explicit `false` is refused.
  if (verified === false) {
    return { kind: 'rejected', message: 'The e-mail address is not verified by the provider' };
  }
  return { kind: 'identified', email };
}
