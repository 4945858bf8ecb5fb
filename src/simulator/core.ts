import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { coreApplication } from './api/application.ts';
import { mountInspector } from './api/inspector.ts';
import type { RateRecord } from './api/rate-limit.ts';
import { ServedRows } from './api/served-rows.ts';
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
import { createFrontDoor } from './front-door.ts';
import type { Fetch } from './front-door.ts';
import { baseUrlOf, closeServer, isLoopback, listenOn } from './http-server.ts';
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
  /** Address of the control calls, which take no credentials; default `host` if that is loopback, else 127.0.0.1. */
  readonly controlHost?: string;
  /**
   * Names beside loopback and the address listened on under which the control calls and the
   * inspector may be called.
   */
  readonly controlHostNames?: readonly string[];
  /** Default 1, or the one of `db`. */
  readonly seed?: string | number;
  /** Default `real`, or the one of `db`. */
  readonly clock?: 'real' | 'virtual';
  /** Where a virtual clock starts, Unix epoch milliseconds; default 2026-01-01, or the one of `db`. */
  readonly startMs?: number;
  /**
   * Whether a client without any permission is refused when it orders transactions; default true,
   * or as `db` was last run. A `db` of a version without this option goes on without it.
   */
  readonly strictPermissions?: boolean;
  /** Whether clients are held to the limits of section "Limits"; default true. */
  readonly rateLimit?: boolean;
  /**
   * Path of a file that holds the whole state, made when there is none: the core goes on where it
   * was, however it ended. Default: memory only. Snapshots (`/sim/snapshot`) are in memory always,
   * and `/sim/reset` goes back to this start.
   */
  readonly db?: string;
  /** Whether chains produce blocks by themselves, at their block time; default true. */
  readonly autoMine?: boolean;
  /** Webhooks to this machine; default: when `host` is loopback. */
  readonly allowLoopbackWebhooks?: boolean;
  /** Webhooks to private and link-local addresses; default false. */
  readonly allowPrivateWebhooks?: boolean;
  /** The inspector page at `/`, which takes no credentials; default: when `host` is loopback. */
  readonly inspector?: boolean;
  /** Told of every bug that became a 500; default: a line on standard error. */
  readonly onBug?: (error: unknown) => void;
  /**
   * Told in a sentence when `db` was made with another seed or clock than asked for, and of every
   * mail that the mail server did not take; default: a line on standard error.
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
  /** Ends deliveries, timers and both servers; what hangs is cut off. */
  stop(): Promise<void>;
}

/** Snapshots kept; each shares its rows with the live state. */
const SNAPSHOTS_MAX = 1_000;

function say(text: string): void {
  process.stderr.write(`custody core: ${text}\n`);
}

function reportBug(error: unknown): void {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/**
 * Starts the simulated custody core: the service of the specification on `port`, the control calls on
 * `controlPort`. Resolves when both listen; rejects when a port is taken, and with `StateFileRefused`
 * when `db` must not be used.
 */
export async function startCore(options: CoreOptions): Promise<RunningCore> {
  const host = options.host ?? '127.0.0.1';
  const onBug = options.onBug ?? reportBug;
  const file = options.db === undefined ? undefined : openFile(options.db, options);
  let listening = '';
  const publicUrl = (): string => options.publicUrl ?? listening;
  const core = assemble({ options, host, file, publicUrl, onBug });
  const { clock, virtualClock, services } = core;
  const stop = async (...servers: readonly Server[]): Promise<void> => {
    services.world.stop();
    await services.delivery.stop();
    await core.stopLogins();
    await Promise.all(servers.map(closeServer));
    if (clock instanceof RealClock) clock.stop();
    file?.close();
  };
  const now = (): number => clock.now();
  const app = coreApplication(services, { ...core, onBug });
  const { world, delivery } = services;
  const faults = new FaultSwitch({ faults: core.faults, world, virtualClock });
  const names = options.controlHostNames ?? [];
  if (options.inspector ?? isLoopback(host)) {
    const { publicUrl: known } = options;
    const hostNames = [host, ...names, ...(known === undefined ? [] : [new URL(known).host])];
    mountInspector(app, { world, delivery, faults, now, hostNames });
  }
  const snapshots = snapshotsOf(core);
  const controlHost = options.controlHost ?? (isLoopback(host) ? host : '127.0.0.1');
  const control = controlApplication(
    { ...services, faults, clock, virtualClock, snapshots },
    { onBug, hostNames: [controlHost, ...names] },
  );
  const wantedControlPort = options.controlPort ?? (options.port === 0 ? 0 : options.port + 1);
  const servers: Server[] = [];
  const open = async (fetch: Fetch, address: { host: string; port: number }): Promise<number> => {
    const { committed } = core;
    const answer = committed === undefined ? fetch : durableAnswers(fetch, { committed, now });
    const server = createFrontDoor({ fetch: answer, now, onBug });
    const port = await listenOn(server, address);
    servers.push(server);
    return port;
  };
  try {
    const port = await open(app.fetch, { host, port: options.port });
    // A wildcard is an address to listen on, not one to go to.
    listening = baseUrlOf(/^(?:0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host, port);
    const controlAddress = { host: controlHost, port: wantedControlPort };
    const controlPort = await open(control.fetch, controlAddress);
    return {
      port,
      controlPort,
      url: baseUrlOf(host, port),
      controlUrl: baseUrlOf(controlHost, controlPort),
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

/** The file, whose seed and clock win: every id and time in it follows from them. */
function openFile(db: string, options: CoreOptions): StateFile {
  const seed = String(options.seed ?? 1);
  const file = StateFile.open(db, {
    origin: { seed, clock: options.clock ?? 'real' },
    onFailure: options.onBug ?? reportBug,
  });
  const { origin } = file;
  const notice = options.onNotice ?? say;
  if (options.seed !== undefined && origin.seed !== seed) {
    notice(`${db} was made with seed ${origin.seed}, which stays; seed ${seed} is ignored`);
  }
  if (options.clock !== undefined && origin.clock !== options.clock) {
    notice(`${db} was made on a ${origin.clock} clock, which stays; ${options.clock} is ignored`);
  }
  if (options.startMs !== undefined && file.nowMs !== undefined) {
    notice(`${db} goes on at ${new Date(file.nowMs).toISOString()}; the start time is ignored`);
  }
  return file;
}

interface Wiring {
  readonly options: CoreOptions;
  readonly host: string;
  readonly file: StateFile | undefined;
  /** Base address of the API as browsers reach it, once it listens. */
  readonly publicUrl: () => string;
  readonly onBug: (error: unknown) => void;
}

/** The parts, wired over one state, which goes on where its file left off. */
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
  // Before anything scheduled can run: what it enqueues belongs behind the backlog.
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

/** Reads and keeps `strictPermissions`, so that the next start on the same file goes on with it. */
function strictnessOf(state: State, options: CoreOptions, isFresh: boolean): boolean {
  const settings = state.table<{ readonly strictPermissions: boolean }>('settings');
  const kept = settings.get('core')?.strictPermissions;
  const strictPermissions = options.strictPermissions ?? kept ?? isFresh;
  if (kept !== strictPermissions) settings.put('core', { strictPermissions });
  return strictPermissions;
}

/** Snapshots of the whole state, time included on a virtual clock. */
function snapshotsOf(core: ReturnType<typeof assemble>): Snapshots {
  const { state, clock, virtualClock, services } = core;
  const take = (): { snapshot: StateSnapshot; nowMs: number } => ({
    snapshot: state.snapshot(),
    nowMs: clock.now(),
  });
  const kept = new Map<string, ReturnType<typeof take>>();
  const start = take();
  let turn: Promise<void> = Promise.resolve();
  /** One after the other: a second one must find the deliveries of the first suspended again. */
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
    async restore(snapshotId) {
      const to = kept.get(snapshotId);
      if (to === undefined) return false;
      await goBack(to);
      return true;
    },
    reset: () => goBack(start),
  };
}
