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

/** Each request to a provider gives up after this time, on the machine's clock. */
const REQUEST_TIMEOUT_SECONDS = 10;

/** An OpenID provider that users of the core may log in with. */
export interface IdentityProviderSettings {
  /** Issuer identifier. HTTPS, except on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** Without one the core is a public client, which PKCE alone protects. */
  readonly clientSecret?: string;
}

/** What one login sends to the provider and expects back (OpenID Connect Core, section 3.1.2.1). */
export interface LoginChecks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The provider cannot be reached or is misconfigured, so nobody can tell. */
export type Unavailable = { readonly kind: 'unavailable'; readonly message: string };
export type ProviderFailure = { readonly kind: 'rejected'; readonly message: string } | Unavailable;

export type Identified = { readonly kind: 'identified'; readonly email: string };

/** Failures between the core and the provider, which say nothing about the user. */
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
    // A code that is spent, expired or another's; any other error is between the provider and us.
    const kind = error.error === 'invalid_grant' ? 'rejected' : 'unavailable';
    return { kind, message: `The identity provider answered ${error.error}` };
  }
  if (error instanceof ClientError && !UNAVAILABLE_CODES.has(error.code ?? '')) {
    return { kind: 'rejected', message: `The identity provider's answer: ${error.message}` };
  }
  // What is left is `fetch` that found nobody.
  if (error instanceof Error) return unavailable(error);
  throw error;
}

/**
 * The core as an OpenID Connect client of one provider: authorization code with PKCE (S256), state
 * and nonce. ID tokens are checked against the machine's clock, by which the provider issues them.
 */
export class IdentityProvider {
  readonly #settings: () => Promise<IdentityProviderSettings>;
  #configuration: Promise<Configuration> | undefined;

  /** `settings` is asked at the first login, so that a provider may be started then. */
  constructor(settings: () => Promise<IdentityProviderSettings>) {
    this.#settings = settings;
  }

  /** Where to send the browser. */
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

  /** Exchanges the provider's answer, the query of the callback, for the user's e-mail address. */
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
      const told = tokens.claims();
      if (told === undefined) return { kind: 'rejected', message: 'The ID token is missing' };
      // Providers may keep scope claims for the UserInfo endpoint (OpenID Connect Core, section 5.4).
      const { email, email_verified: verified } =
        told['email'] === undefined
          ? await fetchUserInfo(configuration, tokens.access_token, told.sub)
          : told;
      return emailOf(email, verified);
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Reads the provider's metadata once; a failure is a value, and tried again at the next login. */
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
    // Over plain HTTP nothing but its signature protects the ID token, so it is always checked.
    const execute = [enableNonRepudiationChecks];
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out; loopback only
    if (isLoopback(server.hostname)) execute.push(allowInsecureRequests);
    const options = { timeout: REQUEST_TIMEOUT_SECONDS, execute };
    return discovery(server, clientId, undefined, authentication, options);
  }
}

function emailOf(email: unknown, verified: unknown): Identified | ProviderFailure {
  if (typeof email !== 'string') {
    return { kind: 'rejected', message: 'The identity provider tells no e-mail address' };
  }
  // Some providers leave the claim out; only an address that is said to be unproven is refused.
  if (verified === false) {
    return { kind: 'rejected', message: 'The e-mail address is not verified by the provider' };
  }
  return { kind: 'identified', email };
}
