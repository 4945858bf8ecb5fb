import type {
  DevelopmentProviderOptions,
  RunningDevelopmentProvider,
} from './development-provider.ts';
import type { IdentityProviderSettings } from './identity-provider.ts';

interface DevelopmentIdentityOptions extends Omit<DevelopmentProviderOptions, 'redirectUri'> {
  /** Known only once the API listens. */
  readonly redirectUri: () => string;
}

/**
 * The development identity provider, started when it is first needed: most cores never log anybody
 * in that way, and its library and its key take a moment. idle → starting → running → stopped; a
 * failed start goes back to idle.
 */
export class DevelopmentIdentity {
  readonly #options: DevelopmentIdentityOptions;
  #running: Promise<RunningDevelopmentProvider> | undefined;
  #stopped = false;

  constructor(options: DevelopmentIdentityOptions) {
    this.#options = options;
  }

  /** Rejects when the port is taken. */
  async settings(): Promise<IdentityProviderSettings> {
    if (this.#stopped) throw new Error('the development identity provider has stopped');
    this.#running ??= this.#start();
    try {
      return (await this.#running).settings;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const running = await this.#running?.catch(() => undefined);
    await running?.stop();
  }

  async #start(): Promise<RunningDevelopmentProvider> {
    const { startDevelopmentProvider } = await import('./development-provider.ts');
    return startDevelopmentProvider({
      ...this.#options,
      redirectUri: this.#options.redirectUri(),
    });
  }
}
