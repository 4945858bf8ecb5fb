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

export interface LoginDeskParts {
  readonly logins: Table<PendingLogin>;
  /** By name, the default one first. */
  readonly providers: ReadonlyMap<string, IdentityProvider>;
  /** Every `callback_url` that is accepted, compared as a whole. */
  readonly callbackUrls: readonly string[];
  /** Where the provider of this name sends the browser back to. */
  readonly redirectUri: (provider: string) => string;
}

/** `browserSecret` is what the browser must bring back beside the `state`. */
export type Beginning =
  | {
      readonly kind: 'begun';
      readonly url: URL;
      readonly state: string;
      readonly browserSecret: string;
    }
  | { readonly kind: 'invalid'; readonly message: string }
  | Unavailable;

/** Logins at an identity provider (section "Session tokens", 3), from the redirect to the e-mail. */
export class LoginDesk {
  readonly #parts: LoginDeskParts;
  readonly #logins: PendingLogins;

  constructor(parts: LoginDeskParts) {
    this.#parts = parts;
    this.#logins = new PendingLogins(parts.logins);
  }

  knows(provider: string): boolean {
    return this.#parts.providers.has(provider);
  }

  /** Remembers a login and tells where to send the browser. */
  async begin(request: {
    readonly callbackUrl: string;
    /** The first one when left out. */
    readonly provider?: string | undefined;
    readonly nowMs: number;
  }): Promise<Beginning> {
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

  /** Spends the login of the answer's `state`, whatever comes of it. */
  async complete(answer: {
    readonly provider: string;
    /** The query that the provider sent the browser back with. */
    readonly query: URLSearchParams;
    /** The secret that the browser was given for this `state`, if it brought one. */
    readonly browserSecret: string | undefined;
    readonly nowMs: number;
  }): Promise<Identified | ProviderFailure> {
    const state = answer.query.get('state') ?? '';
    const login = this.#logins.take(state, answer.nowMs);
    const provider = this.#parts.providers.get(answer.provider);
    if (login?.provider !== answer.provider || provider === undefined) {
      return { kind: 'rejected', message: 'This login is unknown, expired or already used' };
    }
    // Without this, someone could finish a login of theirs in another's browser, or the reverse
    // with a `state` and a `code` read from an address (RFC 6749, section 10.12).
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
