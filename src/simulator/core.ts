import { createAdaptorServer } from '@hono/node-server';
import { randomUUID } from 'node:crypto';
import { Server } from 'node:http';
import { isIP } from 'node:net';
import { coreApplication } from './api/application.ts';
import { mountInspector } from './api/inspector.ts';
import type { RateRecord } from './api/rate-limit.ts';
import { ServedRows } from './api/served-rows.ts';
import { Authenticator } from './auth/authenticator.ts';
import { ClientRegistry } from './auth/client.ts';
import { LoginCodes } from './auth/login-code.ts';
import { SessionBook } from './auth/session.ts';
import { RealClock, VirtualClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { controlApplication } from './control/control-application.ts';
import type { Snapshots } from './control/control-services.ts';
import { Faults } from './control/fault.ts';
import { Delivery } from './delivery/delivery.ts';
import { Random } from './state/random.ts';
import { State } from './state/state.ts';
import type { StateSnapshot } from './state/state.ts';
import { createWorld } from './world/simulated-world.ts';
import type { World } from './world/world.ts';

export interface CoreOptions {
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port of the control calls; default `port` + 1, or any free one when `port` is 0. */
  readonly controlPort?: number;
  /** Address of the control calls, which take no credentials; default `host` if that is loopback, else 127.0.0.1. */
  readonly controlHost?: string;
  readonly seed?: string | number;
  readonly clock?: 'real' | 'virtual';
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

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function reportBug(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`custody core: ${text}\n`);
}

async function listen(
  fetch: Parameters<typeof createAdaptorServer>[0]['fetch'],
  address: { host: string; port: number },
): Promise<{ server: Server; port: number }> {
  const server = createAdaptorServer({ fetch });
  if (!(server instanceof Server)) throw new Error('expected a plain HTTP server');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
  return { server, port: bound.port };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/**
 * Starts the simulated custody core: the service of the specification on `port`, the control calls on
 * `controlPort`. Resolves when both listen; rejects when a port is taken.
 */
export async function startCore(options: CoreOptions): Promise<RunningCore> {
  const host = options.host ?? '127.0.0.1';
  const onBug = options.onBug ?? reportBug;
  const clock =
    options.clock === 'virtual' ? new VirtualClock() : new RealClock({ onError: onBug });
  const virtualClock = clock instanceof VirtualClock ? clock : undefined;
  const core = assemble({ options, host, clock });
  const { services, faults, snapshots } = { ...core, snapshots: snapshotsOf(core, virtualClock) };
  const app = coreApplication(services, { ...core, clock, onBug });
  if (options.inspector ?? isLoopback(host)) {
    const { world, delivery } = services;
    mountInspector(app, { world, delivery, now: () => clock.now() });
  }
  const control = controlApplication(
    { ...services, faults, clock, virtualClock, snapshots },
    onBug,
  );
  const controlHost = options.controlHost ?? (isLoopback(host) ? host : '127.0.0.1');
  const api = await listen(app.fetch, { host, port: options.port });
  const wantedControlPort = options.controlPort ?? (options.port === 0 ? 0 : options.port + 1);
  const sim = await listen(control.fetch, { host: controlHost, port: wantedControlPort }).catch(
    async (error: unknown) => {
      await close(api.server);
      throw error;
    },
  );
  const urlOf = (name: string, port: number): string =>
    `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return {
    port: api.port,
    controlPort: sim.port,
    url: urlOf(host, api.port),
    controlUrl: urlOf(controlHost, sim.port),
    clock,
    world: services.world,
    delivery: services.delivery,
    async stop() {
      services.world.stop();
      await services.delivery.stop();
      await Promise.all([close(api.server), close(sim.server)]);
      if (clock instanceof RealClock) clock.stop();
    },
  };
}

/** The parts, wired over one state. */
function assemble({ options, host, clock }: { options: CoreOptions; host: string; clock: Clock }) {
  const state = new State({ seed: options.seed ?? 1 });
  const faults = new Faults(state.table('faults'), state.seed);
  const clientIds = new Random(state, 'clients');
  const clients = new ClientRegistry(state.table('clients'), () => clientIds.uuid());
  const sessions = new SessionBook(state.table('sessions'), state.table('accessTokens'));
  const loginCodes = new LoginCodes(state.table('loginCodes'), state.table('mails'));
  const delivery = new Delivery({
    state,
    clock,
    faults,
    policy: {
      allowLoopback: options.allowLoopbackWebhooks ?? isLoopback(host),
      allowPrivate: options.allowPrivateWebhooks ?? false,
    },
  });
  const autoMine = options.autoMine ?? true;
  const world = createWorld({ state, clock, outbox: delivery, autoMine });
  return {
    state,
    clock,
    faults,
    authenticator: new Authenticator(clients, sessions),
    rates: state.table<RateRecord>('rateWindows'),
    services: { world, delivery, clients, sessions, loginCodes, served: new ServedRows() },
  };
}

/** Snapshots of the whole state, time included on a virtual clock. */
function snapshotsOf(
  core: ReturnType<typeof assemble>,
  virtualClock: VirtualClock | undefined,
): Snapshots {
  const { state, clock, services } = core;
  const take = (): { snapshot: StateSnapshot; nowMs: number } => ({
    snapshot: state.snapshot(),
    nowMs: clock.now(),
  });
  const kept = new Map<string, ReturnType<typeof take>>();
  const start = take();
  const goBack = async (to: ReturnType<typeof take>): Promise<void> => {
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
