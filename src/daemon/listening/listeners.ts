import type { Config } from '../../ops/config/config.ts';
import type { Routes } from '../routes.ts';
import type { RefusedSenders } from '../senders/refused-senders.ts';
import type { Connection } from './connection.ts';
import { Listener } from './listener.ts';
import type { ClientCertificates } from './server-tls.ts';

/** The intake's listener, and that of everything else when it has its own. */
export interface Listeners {
  readonly url: string;
  readonly adminUrl: string;
  /** Reads changed files of TLS, and returns how to take them over. Throws when it cannot. */
  prepare(config: Config): () => void;
  /** Ends connections with certificates that may no longer deliver. */
  drop(isRefused: (connection: Connection) => boolean): void;
  /** Ends each connection with its next answer; takes new ones. */
  retire(): void;
  /**
   * Accepts no new connections; resolves when every received request was answered. Connections stay open
   * for `idleMs` without a request, by default not at all.
   */
  close(idleMs?: number): Promise<void>;
  cut(): void;
}

/** Whom TLS of `listen` asks for certificates. */
function clientCertificates({ listen, intake }: Config): ClientCertificates {
  if (intake.clientCertificate?.form === 'tls') return 'asked';
  return listen.tls?.caFile === undefined ? 'none' : 'required';
}

/** Opens the listeners of a configuration. Rejects with `CommandFailed`. */
export async function openListeners(
  config: Config,
  routes: Routes,
  senders: RefusedSenders,
): Promise<Listeners> {
  const on = {
    onRefused: (cause: string) => senders.connection(cause),
    onUnproxied: (peer: string) => senders.unproxied(peer),
  };
  const { listen, admin } = config;
  const adminListener =
    admin === undefined
      ? null
      : await Listener.open({
          config: { ...admin, key: 'admin' },
          clientCertificates: 'none',
          fetch: routes.others,
          ...on,
        });
  const intake = await Listener.open({
    config: { ...listen, key: 'listen' },
    clientCertificates: clientCertificates(config),
    fetch: adminListener === null ? routes.all : routes.deliveries,
    ...on,
  }).catch((error: unknown) => {
    // An open port would keep the process alive.
    void adminListener?.close();
    throw error;
  });
  const all = adminListener === null ? [intake] : [intake, adminListener];
  return {
    url: intake.url,
    adminUrl: (adminListener ?? intake).url,
    prepare: (next) => {
      const takes = [intake.prepare(next.listen.tls), adminListener?.prepare(next.admin?.tls)];
      return () => {
        for (const take of takes) take?.();
      };
    },
    drop: (isRefused) => intake.drop(isRefused),
    retire: () => {
      for (const one of all) one.retire();
    },
    close: async (idleMs) => {
      await Promise.all(all.map((one) => one.close(idleMs)));
    },
    cut: () => {
      for (const one of all) one.cut();
    },
  };
}
