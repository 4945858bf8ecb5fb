import type { Clock } from '../clock.ts';
import { DevelopmentIdentity } from '../identity/development-identity.ts';
import { IdentityProvider } from '../identity/identity-provider.ts';
import type { IdentityProviderSettings } from '../identity/identity-provider.ts';
import { LoginFlow } from '../identity/login-flow.ts';
import { Mailbox } from '../mail/mailbox.ts';
import { MAIL_FROM_DEFAULT, SmtpSender } from '../mail/smtp-sender.ts';
import type { State } from '../state/state.ts';
import type { ClientRegistry } from './client.ts';
import { LoginCodes } from './login-code.ts';

const PROVIDER_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Name of the core's own development provider. */
const DEVELOPMENT = 'development';
const CALLBACK_URLS_DEFAULT = ['http://127.0.0.1:3000/callback'];

/** The login options of the core. */
export interface LoginOptions {
  /**
   * Identity providers, the default one first. `name` is the `{idp}` of `/auth/{idp}-callback`:
   * lower-case letters, digits and hyphens. Default: the core's own development provider, named
   * `development`, which asks for no password and listens on 127.0.0.1.
   */
  readonly identityProviders?: readonly (IdentityProviderSettings & { readonly name: string })[];
  /** Port of the development provider; default any free one. It starts at the first login. */
  readonly identityProviderPort?: number;
  /**
   * The allowed values of `callback_url` at `/auth/login`; default
   * `http://127.0.0.1:3000/callback`.
   */
  readonly callbackUrls?: readonly string[];
  /**
   * Address of the API for browsers, which an identity provider redirects to; default: the address
   * that the API listens on.
   */
  readonly publicUrl?: string;
  /** Mail server for login codes, `smtp://[user:password@]host:port`; default: the mailbox only. */
  readonly smtpUrl?: string;
  /** Sender of those mails; default `custody-core@localhost`. */
  readonly mailFrom?: string;
}

interface LoginParts {
  readonly options: LoginOptions;
  readonly state: State;
  readonly clock: Clock;
  readonly clients: ClientRegistry;
  /** Returns the base address of the API for browsers; called at each login. */
  readonly publicUrl: () => string;
  readonly onBug: (error: unknown) => void;
  readonly onNotice: (notice: string) => void;
}

export interface LoginServices {
  readonly mailbox: Mailbox;
  readonly loginCodes: LoginCodes;
  readonly loginFlow: LoginFlow;
  /** Stops the mails that are being sent and the development provider. */
  readonly stopLogins: () => Promise<void>;
}

/**
 * Makes the services for login codes and logins at identity providers. Throws on invalid options.
 */
export function loginServices(parts: LoginParts): LoginServices {
  const { options, state, clock, onNotice } = parts;
  const { smtpUrl, mailFrom: from = MAIL_FROM_DEFAULT } = options;
  const smtpSender =
    smtpUrl === undefined
      ? undefined
      : new SmtpSender({ smtpUrl, from, clock, onProblem: onNotice });
  const mailbox = new Mailbox(
    state.table('mails'),
    smtpSender && ((mail) => smtpSender.deliver(mail)),
  );
  const redirectUri = (name: string): string => `${parts.publicUrl()}/api/v1/auth/${name}-callback`;
  const { providers, stop } = providersOf(parts, redirectUri);
  return {
    mailbox,
    loginCodes: new LoginCodes(state.table('loginCodes'), mailbox),
    loginFlow: new LoginFlow({
      logins: state.table('pendingLogins'),
      providers,
      callbackUrls: options.callbackUrls ?? CALLBACK_URLS_DEFAULT,
      redirectUri,
    }),
    stopLogins: async () => {
      await Promise.all([stop(), smtpSender?.stop()]);
    },
  };
}

function providersOf(
  { options, clients, onBug }: LoginParts,
  redirectUri: (name: string) => string,
): { providers: ReadonlyMap<string, IdentityProvider>; stop: () => Promise<void> } {
  const configured = options.identityProviders;
  const providers = new Map<string, IdentityProvider>();
  if (configured === undefined) {
    const development = new DevelopmentIdentity({
      users: clients,
      redirectUri: () => redirectUri(DEVELOPMENT),
      port: options.identityProviderPort ?? 0,
      onBug,
    });
    providers.set(DEVELOPMENT, new IdentityProvider(() => development.settings()));
    return { providers, stop: () => development.stop() };
  }
  for (const { name, ...settings } of configured) {
    if (!PROVIDER_NAME.test(name)) {
      throw new Error(`identity provider name ${name}: use lower-case letters, digits and hyphens`);
    }
    if (providers.has(name)) throw new Error(`two identity providers are named ${name}`);
    if (!URL.canParse(settings.issuer)) throw new Error(`issuer of ${name} is not a URL`);
    providers.set(name, new IdentityProvider(async () => settings));
  }
  return { providers, stop: async () => undefined };
}
