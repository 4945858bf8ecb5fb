import type {
  DevelopmentProviderOptions,
  RunningDevelopmentProvider,
} from './development-provider.ts';
import type { IdentityProviderSettings } from './identity-provider.ts';

interface DevelopmentIdentityOptions extends Omit<DevelopmentProviderOptions, 'redirectUri'> {
  /** Returns the address only when the API listens. */
  readonly redirectUri: () => string;
}

/**
 * Starts the development identity provider at its first use. Most cores never need it, and loading
 * its library and making its key take time. States: idle, starting, running, stopped. A failed
 * start returns to idle.
 */
export class DevelopmentIdentity {
  readonly #options: DevelopmentIdentityOptions;
  #running: Promise<RunningDevelopmentProvider> | undefined;
  #stopped = false;

  constructor(options: DevelopmentIdentityOptions) {
    this.#options = options;
  }

  /** Starts the provider if needed. Rejects when its port is taken. */
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
