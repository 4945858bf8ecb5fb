import { timingSafeEqual } from 'node:crypto';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import type { Table } from '../state/table.ts';
import type {
  Identified,
  IdentityProvider,
  LoginChecks,
  ProviderFailure,
  Unavailable,
} from './identity-provider.ts';
import { PENDING_LOGIN_MS, PendingLogins, secretHash } from './pending-login.ts';
import type { PendingLogin } from './pending-login.ts';

export interface LoginFlowParts {
  readonly logins: Table<PendingLogin>;
  /** Identity providers by name, the default one first. */
  readonly providers: ReadonlyMap<string, IdentityProvider>;
  /** The allowed values of `callback_url`, compared as a whole. */
  readonly callbackUrls: readonly string[];
  /** The callback address of the provider with this name. */
  readonly redirectUri: (provider: string) => string;
}

/** The start of a login. The browser must return the `browserSecret` and the `state`. */
export type LoginStart =
  | {
      readonly kind: 'begun';
      readonly url: URL;
      readonly state: string;
      readonly browserSecret: string;
    }
  | { readonly kind: 'invalid'; readonly message: string }
  | Unavailable;

/**
 * Runs logins at identity providers, from the redirect to the e-mail address (the specification,
 * section "Session tokens", 3).
 */
export class LoginFlow {
  readonly #parts: LoginFlowParts;
  readonly #logins: PendingLogins;

  constructor(parts: LoginFlowParts) {
    this.#parts = parts;
    this.#logins = new PendingLogins(parts.logins);
  }

  knows(provider: string): boolean {
    return this.#parts.providers.has(provider);
  }

  /** Stores a login and returns the address for the browser. */
  async begin(request: {
    readonly callbackUrl: string;
    /** Name of the provider; default: the first one. */
    readonly provider?: string | undefined;
    readonly nowMs: number;
  }): Promise<LoginStart> {
    const { callbackUrls, providers } = this.#parts;
    if (!callbackUrls.includes(request.callbackUrl)) {
      return { kind: 'invalid', message: 'callback_url is not one of the allowed ones' };
    }
    const [first] = providers.keys();
    const name = request.provider ?? first;
    if (name === undefined) return { kind: 'invalid', message: 'No identity provider is set up' };
    const provider = providers.get(name);
    if (provider === undefined) return { kind: 'invalid', message: `No identity provider ${name}` };
    const checks = {
      state: randomState(),
      nonce: randomNonce(),
      codeVerifier: randomPKCECodeVerifier(),
      redirectUri: this.#parts.redirectUri(name),
    };
    const authorization = await provider.authorizationUrl(checks);
    if (authorization.kind !== 'ok') return authorization;
    const browserSecret = randomState();
    const { state, nonce, codeVerifier } = checks;
    const login: PendingLogin = {
      stateHash: secretHash(state),
      provider: name,
      nonce,
      codeVerifier,
      browserHash: secretHash(browserSecret),
      expiresAt: request.nowMs + PENDING_LOGIN_MS,
    };
    this.#logins.add(login, request.nowMs);
    return { kind: 'begun', url: authorization.url, state, browserSecret };
  }

  /**
   * Ends the login with the answer's `state` and returns its result. Each login can be ended once.
   */
  async complete(answer: {
    readonly provider: string;
    /** The query of the provider's redirect to the callback. */
    readonly query: URLSearchParams;
    /**
     * The secret that the core gave to the browser for this `state`, if the browser returned one.
     */
    readonly browserSecret: string | undefined;
    readonly nowMs: number;
  }): Promise<Identified | ProviderFailure> {
    const state = answer.query.get('state') ?? '';
    const login = this.#logins.take(state, answer.nowMs);
    const provider = this.#parts.providers.get(answer.provider);
    if (login?.provider !== answer.provider || provider === undefined) {
      return { kind: 'rejected', message: 'This login is unknown, expired or already used' };
    }
    // Otherwise an attacker could complete a login in another person's browser, or complete another
    // person's login with a `state` and `code` read from an address (RFC 6749, section 10.12).
    if (!sameHash(login.browserHash, answer.browserSecret)) {
      return { kind: 'rejected', message: 'This login was begun in another browser' };
    }
    const { nonce, codeVerifier } = login;
    const redirectUri = this.#parts.redirectUri(answer.provider);
    const checks: LoginChecks = { redirectUri, state, nonce, codeVerifier };
    return provider.identify(answer.query, checks);
  }
}

function sameHash(hash: string, secret: string | undefined): boolean {
  const given = Buffer.from(secretHash(secret ?? ''), 'hex');
  return timingSafeEqual(Buffer.from(hash, 'hex'), given);
}
