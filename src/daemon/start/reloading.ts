import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../ops/config/config.ts';
import type { Loaded } from '../../ops/config/reading/config-file.ts';
import { problemText } from '../../ops/config/reading/problem.ts';
import type { Logger } from '../../ops/log.ts';

/** Interval of looks at the files; with the wait, a removed pin is refused within a second. */
const LOOK_MS = 500;

/** Wait after a change: a certificate and its key are written one after the other. */
const WRITING_MS = 200;

/** The configuration file, which may change while the daemon runs. */
export interface ConfigSource {
  readonly path: string;
  readonly load: () => Loaded<Config>;
}

interface ReloadingOptions {
  /** The configuration that the daemon was started with. */
  readonly config: Config;
  readonly source: ConfigSource;
  readonly log: Logger;
}

/** What a reload took: the configuration, and the content of its files. */
interface Taken {
  readonly config: Config;
  readonly contents: readonly string[];
}

/**
 * Takes over changed certificates and pins without a restart: on request (SIGHUP), and when one of
 * the files changes. All of them change together; while any is wrong, the former ones stay.
 *
 * Modes: starting (a request waits) → watching → stopped.
 */
export class Reloading {
  readonly #options: ReloadingOptions;
  readonly #onChange = (): void => {
    this.#changed ??= setTimeout(() => this.#reload('files'), WRITING_MS).unref();
  };
  #changed: NodeJS.Timeout | undefined;
  #prepare: ((config: Config) => () => void) | null = null;
  #requested = false;
  #taken: Taken;
  #watched: readonly string[] = [];

  constructor(options: ReloadingOptions) {
    this.#options = options;
    this.#taken = { config: options.config, contents: contentsOf(options.config) };
  }

  /** Reloads now, or when the start has ended. */
  request(): void {
    this.#requested = true;
    if (this.#prepare !== null) this.#reload('request');
  }

  /**
   * Takes over what changed during the start, and begins to look for changes. `prepare` reads what a
   * configuration names, and returns a function that takes it over; it throws when it cannot.
   */
  begin(prepare: (config: Config) => () => void): void {
    this.#prepare = prepare;
    this.#watch(this.#taken.config);
    // Whatever changed since the start began.
    this.#reload(this.#requested ? 'request' : 'files');
  }

  stop(): void {
    this.#prepare = null;
    clearTimeout(this.#changed);
    for (const file of this.#watched) unwatchFile(file, this.#onChange);
  }

  #watch(config: Config): void {
    const files = [this.#options.source.path, ...filesOf(config)];
    if (isDeepStrictEqual(files, this.#watched)) return;
    for (const file of this.#watched) unwatchFile(file, this.#onChange);
    for (const file of files) {
      // By their state: a notification of the file system follows neither links nor replacements.
      watchFile(file, { interval: LOOK_MS, persistent: false }, this.#onChange);
    }
    this.#watched = files;
  }

  #reload(cause: 'request' | 'files'): void {
    clearTimeout(this.#changed);
    this.#changed = undefined;
    const { source, log } = this.#options;
    try {
      const loaded = source.load();
      if (loaded.kind === 'invalid') return this.#keepFormer(problemText(loaded.problems));
      const { config } = loaded;
      const taken = { config, contents: contentsOf(config) };
      if (cause === 'files' && isDeepStrictEqual(taken, this.#taken)) return;
      const flaw = this.#take(taken);
      if (flaw !== null) return this.#keepFormer(flaw);
      const { pins } = config.intake.clientCertificate ?? {};
      log.info({ cause, pins: pins?.length ?? 0 }, 'reloaded: certificates and pins');
      const keys = changedKeys(this.#options.config, config);
      if (keys.length > 0) {
        log.warn({ keys }, `changed keys that need a restart: ${keys.join(', ')}`);
      }
    } catch (error) {
      this.#keepFormer(error instanceof Error ? error.message : String(error));
    }
  }

  /** Returns why it cannot be taken without a restart. */
  #take(taken: Taken): string | null {
    const asked = (config: Config): boolean => config.intake.clientCertificate?.form === 'tls';
    if (asked(taken.config) !== asked(this.#options.config)) {
      return '  intake.clientCertificate.form: "tls" begins and ends with a restart';
    }
    this.#prepare?.(taken.config)();
    this.#taken = taken;
    this.#watch(taken.config);
    return null;
  }

  #keepFormer(why: string): void {
    this.#options.log.error(
      { cause: why },
      `not reloaded; certificates and pins stay as they were: ${why.trim()}`,
    );
  }
}

/** Every file with a certificate or its key. */
function filesOf({ listen, admin, intake }: Config): string[] {
  const tls: readonly (object | undefined)[] = [listen.tls, admin?.tls];
  const named = tls.flatMap((files) => Object.values(files ?? {}) as string[]);
  const issuer = intake.clientCertificate?.issuerFile;
  return issuer === undefined ? named : [...named, issuer];
}

function contentsOf(config: Config): string[] {
  return filesOf(config).map((file) => readFileSync(file, 'utf8'));
}

/** Keys, at the top of the file, whose change needs a restart. */
function changedKeys(former: Config, next: Config): string[] {
  const [before, after] = [fixedOf(former), fixedOf(next)];
  return Object.keys(before).filter(
    (key) => !isDeepStrictEqual(before[key as keyof Config], after[key as keyof Config]),
  );
}

/** A configuration without what a reload takes over; the same keys in each. */
function fixedOf(config: Config): Record<keyof Config, unknown> {
  const { custody, admin, receiver, ...others } = config;
  const { clientCertificate: _, ...intake } = config.intake;
  return {
    ...others,
    custody,
    receiver,
    listen: withoutFiles(config.listen),
    admin: admin === undefined ? undefined : withoutFiles(admin),
    intake,
  };
}

/** Keeps whether there is TLS, and whether it asks for certificates. */
function withoutFiles({ tls, ...others }: { readonly tls?: object }): object {
  return { ...others, tls: tls === undefined ? [] : Object.keys(tls).toSorted() };
}
