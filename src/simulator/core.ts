import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { coreApplication } from './api/application.ts';
import type { RateRecord } from './api/request/rate-limit.ts';
import { ServedRows } from './api/request/served-rows.ts';
import { Authenticator } from './auth/authenticator.ts';
import { ClientRegistry } from './auth/client.ts';
import { loginServices } from './auth/login-services.ts';
import type { LoginOptions } from './auth/login-services.ts';
import { SessionBook } from './auth/session.ts';
import { RealClock, VirtualClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { controlApplication } from './control/control-application.ts';
import type { Snapshots } from './control/control-services.ts';
import { Faults } from './control/fault.ts';
import { FaultSwitch } from './control/fault-switch.ts';
import { Delivery } from './delivery/delivery.ts';
import { durableAnswers } from './durable-answer.ts';
import { createFetchServer } from './fetch-server.ts';
import type { Fetch } from './fetch-server.ts';
import { baseUrlOf, closeServer, isLoopback, listenOn } from './http-server.ts';
import { mountInspector, OpenPages } from './inspector/application.tsx';
import { HOME } from './inspector/context.ts';
import { Random } from './state/random.ts';
import { StateFile } from './state/state-file.ts';
import { State } from './state/state.ts';
import type { StateSnapshot } from './state/state.ts';
import { createWorld } from './world/simulated-world.ts';
import type { World } from './world/world.ts';

export interface CoreOptions extends LoginOptions {
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port of the control calls; default `port` + 1, or any free one when `port` is 0. */
  readonly controlPort?: number;
  /**
   * Address of the control calls, which take no credentials. Default: `host` if it is loopback,
   * otherwise 127.0.0.1.
   */
  readonly controlHost?: string;
  /**
   * Host names for the control calls and the inspector, beside loopback and the address listened
   * on.
   */
  readonly controlHostNames?: readonly string[];
  /** Default: 1, or the seed of `db`. */
  readonly seed?: string | number;
  /** Default: `real`, or the clock of `db`. */
  readonly clock?: 'real' | 'virtual';
  /**
   * Start of a virtual clock in Unix epoch milliseconds; default: 2026-01-01, or the time of `db`.
   */
  readonly startMs?: number;
  /**
   * Whether the core refuses orders of a client without any permission. Default: true, or the last
   * setting of `db`. A `db` of a version without this option continues without the refusal.
   */
  readonly strictPermissions?: boolean;
  /** Whether the rate limits apply (the specification, section "Limits"); default true. */
  readonly rateLimit?: boolean;
  /**
   * Path of the file for the whole state; it is created when missing. The core continues from it,
   * however the last run ended. Default: memory only. Snapshots (`/sim/snapshot`) are always in
   * memory, and `/sim/reset` goes back to this start.
   */
  readonly db?: string;
  /** Whether chains add blocks at their block times; default true. */
  readonly autoMine?: boolean;
  /** Whether webhooks may go to this machine; default: when `host` is loopback. */
  readonly allowLoopbackWebhooks?: boolean;
  /** Whether webhooks may go to private and link-local addresses; default false. */
  readonly allowPrivateWebhooks?: boolean;
  /**
   * Whether the control port shows the inspector, which takes no credentials, at `/inspector`;
   * default true. On loopback, `/` of the API port leads there.
   */
  readonly inspector?: boolean;
  /** Called for every bug that became a 500; default: a line on standard error. */
  readonly onBug?: (error: unknown) => void;
  /**
   * Called with a sentence when `db` has another seed or clock than the options, and for every mail
   * that the mail server did not accept. Default: a line on standard error.
   */
  readonly onNotice?: (notice: string) => void;
}

export interface RunningCore {
  readonly port: number;
  readonly controlPort: number;
  /** Base addresses without a trailing slash, as `http://127.0.0.1:4100`. */
  readonly url: string;
  readonly controlUrl: string;
  readonly clock: Clock;
  readonly world: World;
  readonly delivery: Delivery;
  /** Stops deliveries, timers and both servers; aborts what hangs. */
  stop(): Promise<void>;
}

/** Snapshots kept. Each shares its rows with the live state. */
const SNAPSHOTS_MAX = 1_000;

function say(text: string): void {
  process.stderr.write(`custody core: ${text}\n`);
}

function reportBug(error: unknown): void {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/**
 * Starts the simulated custody core. The API of the specification listens on `port`, the control
 * calls listen on `controlPort`. Resolves when both listen. Rejects when a port is taken, and with
 * `StateFileRefused` when `db` must not be used.
 */
export async function startCore(options: CoreOptions): Promise<RunningCore> {
  const host = options.host ?? '127.0.0.1';
  const onBug = options.onBug ?? reportBug;
  const file = options.db === undefined ? undefined : openFile(options.db, options);
  let listening = '';
  const publicUrl = (): string => options.publicUrl ?? listening;
  const core = assemble({ options, host, file, publicUrl, onBug });
  const { clock, virtualClock, services } = core;
  const realClock = clock instanceof RealClock ? clock : undefined;
  const openPages = new OpenPages(core.state);
  const stop = async (...servers: readonly Server[]): Promise<void> => {
    openPages.close();
    services.world.stop();
    await services.delivery.stop();
    await core.stopLogins();
    await Promise.all(servers.map(closeServer));
    realClock?.stop();
    file?.close();
  };
  const now = (): number => clock.now();
  const app = coreApplication(services, { ...core, onBug });
  const { world, delivery } = services;
  const faults = new FaultSwitch({ faults: core.faults, world, virtualClock });
  const snapshots = snapshotsOf(core);
  const controlHost = options.controlHost ?? (isLoopback(host) ? host : '127.0.0.1');
  const controlServices = { ...services, faults, clock, virtualClock, realClock, snapshots };
  const control = controlApplication(controlServices, {
    onBug,
    hostNames: [controlHost, ...(options.controlHostNames ?? [])],
  });
  let controlUrl = '';
  if (options.inspector ?? true) {
    mountInspector(control, { services: controlServices, openPages, apiUrl: publicUrl });
    if (isLoopback(host)) app.get('/', (context) => context.redirect(`${controlUrl}${HOME}`, 302));
  }
  const wantedControlPort = options.controlPort ?? (options.port === 0 ? 0 : options.port + 1);
  const servers: Server[] = [];
  const open = async (fetch: Fetch, address: { host: string; port: number }): Promise<number> => {
    const { committed } = core;
    const answer = committed === undefined ? fetch : durableAnswers(fetch, { committed, now });
    const server = createFetchServer({ fetch: answer, now, onBug });
    const port = await listenOn(server, address);
    servers.push(server);
    return port;
  };
  try {
    const port = await open(app.fetch, { host, port: options.port });
    // A server can listen on a wildcard address, but a browser cannot open it.
    listening = baseUrlOf(/^(?:0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host, port);
    const controlAddress = { host: controlHost, port: wantedControlPort };
    const controlPort = await open(control.fetch, controlAddress);
    controlUrl = baseUrlOf(controlHost, controlPort);
    return {
      port,
      controlPort,
      url: baseUrlOf(host, port),
      controlUrl,
      clock,
      world,
      delivery,
      stop: () => stop(...servers),
    };
  } catch (error) {
    await stop(...servers);
    throw error;
  }
}

/**
 * Opens the state file. Its seed and clock replace those of the options, because every id and time
 * in it follows from them.
 */
function openFile(db: string, options: CoreOptions): StateFile {
  const seed = String(options.seed ?? 1);
  const file = StateFile.open(db, {
    origin: { seed, clock: options.clock ?? 'real' },
    onFailure: options.onBug ?? reportBug,
  });
  const { origin } = file;
  const notice = options.onNotice ?? say;
  if (options.seed !== undefined && origin.seed !== seed) {
    notice(`${db} was made with seed ${origin.seed} and keeps it; seed ${seed} is ignored`);
  }
  if (options.clock !== undefined && origin.clock !== options.clock) {
    notice(`${db} was made on a ${origin.clock} clock and keeps it; ${options.clock} is ignored`);
  }
  if (options.startMs !== undefined && file.nowMs !== undefined) {
    notice(`${db} continues at ${new Date(file.nowMs).toISOString()}; the start time is ignored`);
  }
  return file;
}

interface Wiring {
  readonly options: CoreOptions;
  readonly host: string;
  readonly file: StateFile | undefined;
  /** Returns the base address of the API for browsers, once the API listens. */
  readonly publicUrl: () => string;
  readonly onBug: (error: unknown) => void;
}

/** Connects the parts over one state, which continues from its file. */
function assemble({ options, host, file, publicUrl, onBug }: Wiring) {
  const { seed, clock: clockKind } = file?.origin ?? options;
  const startMs = file?.nowMs ?? options.startMs;
  const virtualClock =
    clockKind === 'virtual'
      ? new VirtualClock(startMs === undefined ? {} : { startMs })
      : undefined;
  const clock: Clock = virtualClock ?? new RealClock({ onError: onBug });
  const state = new State({ seed: seed ?? 1 });
  file?.load(state);
  if (virtualClock !== undefined) file?.followTime(() => virtualClock.now());
  const strictPermissions = strictnessOf(state, options, file?.isFresh ?? true);
  const committed = file === undefined ? undefined : () => file.committed();
  const faults = new Faults(state.table('faults'), state.seed);
  const clientIds = new Random(state, 'clients');
  const clients = new ClientRegistry(state.table('clients'), () => clientIds.uuid());
  const sessions = new SessionBook(state.table('sessions'), state.table('accessTokens'));
  const { stopLogins, ...logins } = loginServices({
    options,
    state,
    clock,
    clients,
    publicUrl,
    onBug,
    onNotice: options.onNotice ?? say,
  });
  const policy = {
    allowLoopback: options.allowLoopbackWebhooks ?? isLoopback(host),
    allowPrivate: options.allowPrivateWebhooks ?? false,
  };
  const delivery = new Delivery({ state, clock, faults, policy, committed });
  const autoMine = options.autoMine ?? true;
  const world = createWorld({ state, clock, outbox: delivery, autoMine });
  // Resume before any timer runs: new notifications belong behind the backlog.
  delivery.resume();
  return {
    state,
    clock,
    virtualClock,
    committed,
    faults,
    authenticator: new Authenticator(clients, sessions),
    rates: options.rateLimit === false ? undefined : state.table<RateRecord>('rateWindows'),
    stopLogins,
    services: {
      world,
      delivery,
      clients,
      sessions,
      ...logins,
      served: new ServedRows(),
      strictPermissions,
    },
  };
}

/** Reads and stores `strictPermissions`, so that the next start on the same file keeps it. */
function strictnessOf(state: State, options: CoreOptions, isFresh: boolean): boolean {
  const settings = state.table<{ readonly strictPermissions: boolean }>('settings');
  const kept = settings.get('core')?.strictPermissions;
  const strictPermissions = options.strictPermissions ?? kept ?? isFresh;
  if (kept !== strictPermissions) settings.put('core', { strictPermissions });
  return strictPermissions;
}

/** Snapshots of the whole state; on a virtual clock with its time. */
function snapshotsOf(core: ReturnType<typeof assemble>): Snapshots {
  const { state, clock, virtualClock, services } = core;
  const take = (): { snapshot: StateSnapshot; nowMs: number } => ({
    snapshot: state.snapshot(),
    nowMs: clock.now(),
  });
  const kept = new Map<string, ReturnType<typeof take>>();
  const start = take();
  let turn: Promise<void> = Promise.resolve();
  /**
   * Restores run one after the other: each suspends the deliveries that the one before has resumed.
   */
  const goBack = (to: ReturnType<typeof take>): Promise<void> => {
    const back = turn.then(() => replaceState(to));
    turn = back.catch(() => undefined);
    return back;
  };
  const replaceState = async (to: ReturnType<typeof take>): Promise<void> => {
    services.world.stop();
    await services.delivery.suspend();
    virtualClock?.reset(to.nowMs);
    state.restore(to.snapshot);
    services.served.clear();
    services.world.resume();
    services.delivery.resume();
  };
  return {
    take() {
      const snapshotId = randomUUID();
      kept.set(snapshotId, take());
      const [oldest] = kept.keys();
      if (kept.size > SNAPSHOTS_MAX && oldest !== undefined) kept.delete(oldest);
      return snapshotId;
    },
    list: () => [...kept].map(([snapshotId, { nowMs }]) => ({ snapshotId, now: nowMs })),
    async restore(snapshotId) {
      const to = kept.get(snapshotId);
      if (to === undefined) return false;
      await goBack(to);
      return true;
    },
    reset: () => goBack(start),
  };
}
