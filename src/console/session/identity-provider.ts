import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  type ClientAuth,
  type Configuration,
} from 'openid-client';
import type { Caller } from '../../api/access.ts';
import { personName, roleOfGroups, type GroupRole } from '../../domain/access/person.ts';
import type { Credential } from './session-file.ts';
import type { PendingSignIn } from './sealed-sign-in.ts';

/** Time limit of each request to the provider. */
const REQUEST_TIMEOUT_SECONDS = 10;

/** Most groups that a refusal repeats. */
const GROUPS_SHOWN_MAX = 10;

/** `console.oidc` of the configuration. */
export interface ProviderSettings {
  /** The issuer's identifier: https, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly groupsClaim: string;
  readonly scope: string;
  /** The secret that several receivers share; absent with one receiver. */
  readonly sharedSecret?: string;
  /** The first group that a person is in counts. */
  readonly roles: Readonly<Record<string, Caller['role']>>;
}

/** Nobody is signed in; `detail` says what to do. */
export type NotSignedIn = { readonly kind: 'refused' | 'unavailable'; readonly detail: string };

/** Who has signed in: the name for the journal, and the group that gives the role. */
export type SignedIn = {
  readonly kind: 'signed-in';
  readonly caller: Caller;
  readonly credential: Extract<Credential, { kind: 'provider' }>;
};

type Claims = Readonly<Record<string, unknown>>;

/** A claim by its name; otherwise its dots separate the members of objects (`realm_access.roles`). */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const member of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) {
      return undefined;
    }
    value = (value as Claims)[member];
  }
  return value;
}

/** The groups in a claim: a list of texts or one text; undefined for anything else. */
function groupsIn(claim: unknown): readonly string[] | undefined {
  if (typeof claim === 'string') return [claim];
  if (!Array.isArray(claim)) return undefined;
  return (claim as readonly unknown[]).filter((one) => typeof one === 'string');
}

/** Errors between this daemon and the provider. They say nothing about the person. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);
const WRONG_CLOCK = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';

/** Signs people in at an OpenID Connect provider: authorization code with PKCE (S256), state, nonce. */
export class IdentityProvider {
  readonly #settings: ProviderSettings;
  readonly #roles: readonly GroupRole[];
  #configuration: Promise<Configuration> | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
    this.#roles = Object.entries(settings.roles).map(([group, role]) => ({ group, role }));
  }

  /** The provider's name on the sign-in page: the host of its issuer. */
  get name(): string {
    return new URL(this.#settings.issuer).host;
  }

  /** The secret that several receivers share, for the key of sign-ins that have begun. */
  get sharedSecret(): string | undefined {
    return this.#settings.sharedSecret;
  }

  /** Whom a sign-in of this provider stands for by the groups as they are configured now. */
  callerOf({ issuer, name, group }: SignedIn['credential']): Caller | undefined {
    if (issuer !== this.#settings.issuer) return undefined;
    const found = roleOfGroups([group], this.#roles);
    return found && { name, role: found.role };
  }

  /** Reads the provider's metadata: whether it answers, and what to do when it does not. */
  async check(): Promise<{ readonly kind: 'ok' } | NotSignedIn> {
    const configuration = await this.#discovered();
    return configuration instanceof Error ? this.#unavailable(configuration) : { kind: 'ok' };
  }

  /** Begins a sign-in: the address for the browser, and what its answer must agree with. */
  async begin(about: {
    readonly redirectUri: string;
    readonly next: string;
  }): Promise<
    { readonly kind: 'begun'; readonly url: URL; readonly pending: PendingSignIn } | NotSignedIn
  > {
    const configuration = await this.#discovered();
    if (configuration instanceof Error) return this.#unavailable(configuration);
    const pending = {
      ...about,
      state: randomState(),
      nonce: randomNonce(),
      codeVerifier: randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: pending.redirectUri,
      scope: this.#settings.scope,
      response_type: 'code',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { kind: 'begun', url, pending };
  }

  /** Takes the provider's answer, the query of the callback. */
  async end(query: string, pending: PendingSignIn): Promise<SignedIn | NotSignedIn> {
    const configuration = await this.#discovered();
    if (configuration instanceof Error) return this.#unavailable(configuration);
    const answered = new URL(pending.redirectUri);
    answered.search = query;
    try {
      const tokens = await authorizationCodeGrant(configuration, answered, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
      });
      const identity = tokens.claims();
      if (identity === undefined) return refused('The provider sent no ID token.');
      const { groupsClaim } = this.#settings;
      // Some providers send these claims at the UserInfo endpoint only (OpenID Connect Core, 5.4).
      const isWhole =
        claimOf(identity, groupsClaim) !== undefined && identity['email'] !== undefined;
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more =
        isWhole || !hasMore
          ? {}
          : await fetchUserInfo(configuration, tokens.access_token, identity.sub);
      return this.#personOf({ ...more, ...identity });
    } catch (error) {
      return this.#failure(error);
    }
  }

  #personOf(claims: Claims & { readonly sub: string }): SignedIn | NotSignedIn {
    const { groupsClaim, clientId } = this.#settings;
    const { sub, email, email_verified: emailVerified } = claims;
    const name = personName({ sub, email, emailVerified });
    const groups = groupsIn(claimOf(claims, groupsClaim));
    if (groups === undefined) {
      return refused(
        `The provider sent no groups of ${name}: let it send the claim "${groupsClaim}" to the client ${clientId}, or name its claim in console.oidc.groupsClaim.`,
      );
    }
    const found = roleOfGroups(groups, this.#roles);
    if (found !== undefined) {
      const { group, role } = found;
      const credential = { kind: 'provider', issuer: this.#settings.issuer, name, group } as const;
      return { kind: 'signed-in', caller: { name, role }, credential };
    }
    const shown = groups.slice(0, GROUPS_SHOWN_MAX).join(', ');
    return refused(
      `No group of ${name} has a role here (groups: ${shown === '' ? 'none' : shown}). Ask an administrator to add you to a group of console.oidc.roles, or to give one of yours a role there.`,
    );
  }

  #failure(error: unknown): NotSignedIn {
    if (error instanceof AuthorizationResponseError) {
      return refused(
        `The provider answered ${error.error}. Sign in again, or ask its administrator.`,
      );
    }
    if (error instanceof ResponseBodyError) {
      // `invalid_grant`: the code was used or has expired. Any other error concerns the client.
      return error.error === 'invalid_grant'
        ? refused('The sign-in was used or has expired. Sign in again.')
        : this.#unavailable(error);
    }
    if (error instanceof ClientError && error.code === WRONG_CLOCK) {
      return refused(
        `The provider’s token is not valid at this machine’s time: set the clocks of both machines, then sign in again.`,
      );
    }
    if (error instanceof ClientError && !UNAVAILABLE.has(error.code ?? '')) {
      return refused(`The provider’s answer is not valid (${error.message}). Sign in again.`);
    }
    // All other errors are network errors of `fetch`.
    if (error instanceof Error) return this.#unavailable(error);
    throw error;
  }

  #unavailable(error: Error): NotSignedIn {
    const { issuer } = this.#settings;
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return {
      kind: 'unavailable',
      detail: `The provider ${issuer} did not answer as expected (${error.message}${cause}). Check console.oidc and the network, or sign in with a token.`,
    };
  }

  /** Reads the provider's metadata once. Returns a failure, and tries again at the next sign-in. */
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
    const { issuer, clientId, clientSecret } = this.#settings;
    const authentication = clientSecret === undefined ? None() : authenticationWith(clientSecret);
    // Over plain HTTP only its signature protects the ID token, so the signature is always checked.
    const execute = [enableNonRepudiationChecks];
    // oxlint-disable-next-line typescript/no-deprecated -- the configuration allows it on this machine only
    if (new URL(issuer).protocol === 'http:') execute.push(allowInsecureRequests);
    const options = { timeout: REQUEST_TIMEOUT_SECONDS, execute };
    return discovery(new URL(issuer), clientId, undefined, authentication, options);
  }
}

/** The method that the provider takes: the header unless it names only the body (Discovery, section 3). */
function authenticationWith(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPostOnly =
      methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    (isPostOnly ? post : basic)(server, ...request);
  };
}

function refused(detail: string): NotSignedIn {
  return { kind: 'refused', detail };
}
