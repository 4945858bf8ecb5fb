import { rmSync } from 'node:fs';
import type { VirtualClock } from '../../src/simulator/clock.ts';
import type { RunningCore } from '../../src/simulator/core.ts';
import { Auditor } from './audit/auditor.ts';
import { Chance } from './chance.ts';
import { gatherEvidence } from './audit/evidence.ts';
import type { EventLog } from './event-log.ts';
import { copyStore, extentOf, lastSealOf } from './extent.ts';
import { Forger } from './people/forger.ts';
import {
  callControl,
  drainBacklogs,
  layGround,
  scratchFolder,
  type Ground,
} from './product/ground.ts';
import type { Network } from './product/network.ts';
import { Office } from './people/office.ts';
import { DIED, GRACE_MS, Product } from './product/product.ts';
import { replayProblems } from './audit/replay-check.ts';
import { makeScenery, type Scenery } from './people/scenery.ts';
import { Traffic } from './people/traffic.ts';
import type { SimulationOptions, Verdict } from './verdict.ts';
import type { Weather } from './product/weather.ts';

const PATH_TOKEN = 'a-secret-path-of-this-simulation-only';
const STREAMS = ['outgoing', 'incoming', 'blockchain'] as const;
const STEPS = 60;
/** Deeper than every policy and every published depth of the networks that play. */
const BURIAL_BLOCKS = 30;
/** Longer than any single look-up waits for its next turn, and than any grace. */
const REST_MS = 2 * 3_600_000;
/** A paused order ends after a day. */
const PAUSE_MS_MAX = 25 * 3_600_000;
const SWEEPS_AT_REST = 6;
/** A run takes seconds, on a busy machine too. */
const STUCK_MS = 90_000;

const ACTIONS = {
  traffic: 60,
  burst: 8,
  time: 14,
  sweep: 12,
  verify: 30,
  office: 8,
  lie: 20,
  redeliver: 4,
  override: 1,
  kill: 3,
  weather: 6,
  clockJump: 2,
} as const;

/**
 * The custody core, the product and the network between them in one process, on one virtual clock
 * and from one seed: some time of traffic in which everything goes wrong that may, then rest, then
 * the audit.
 */
class Simulation {
  readonly #seed: number;
  readonly #lying: boolean;
  readonly #folder = scratchFolder();
  readonly #chance: Chance;
  readonly #weather: Weather;
  readonly #problems: string[];
  readonly #acknowledged: Uint8Array[];
  readonly #deepest = new Map<string, number>();
  readonly #ground: Ground;
  readonly #core: RunningCore;
  readonly #clock: VirtualClock;
  readonly #log: EventLog;
  readonly #scenery: Scenery;
  readonly #traffic: Traffic;
  readonly #network: Network;
  readonly #product: Product;
  readonly #office: Office;
  readonly #forger: Forger;
  readonly #inspect: NonNullable<SimulationOptions['inspect']>;
  #sweeps = 0;
  #rounds = 0;
  #deaths = 0;

  private constructor(seed: number, parts: { ground: Ground; options: SimulationOptions }) {
    const { ground, options } = parts;
    const { core, clock, log, weather, network, client } = ground;
    this.#seed = seed;
    this.#lying = options.lies ?? seed % 4 !== 0;
    this.#inspect = options.inspect ?? ((path, evidence) => new Auditor(path, evidence).audit());
    this.#ground = ground;
    this.#core = core;
    this.#clock = clock;
    this.#log = log;
    this.#weather = weather;
    this.#network = network;
    this.#problems = ground.problems;
    this.#acknowledged = ground.acknowledged;
    this.#chance = new Chance(seed, 'course');
    this.#scenery = makeScenery(core.world, seed);
    this.#traffic = new Traffic({ world: core.world, scenery: this.#scenery, seed, log });
    const jitter = new Chance(seed, 'jitter');
    this.#product = new Product({
      folder: this.#folder,
      clock,
      pathToken: PATH_TOKEN,
      webhookUrl: `${network.webhookOrigin}/hooks/${PATH_TOKEN}`,
      api: { baseUrl: network.apiOrigin, ...client },
      fate: (facts) => {
        const fate = weather.commitFate();
        log.add(`commit ${facts.map(({ kind }) => kind).join(' ')}: ${fate}`);
        return fate;
      },
      tornBytes: () => weather.tornBytes(),
      random: () => jitter.fraction(),
      hangs: () => network.hangs(),
    });
    this.#office = new Office({ product: this.#product, seed, log });
    this.#forger = new Forger({
      world: core.world,
      product: this.#product,
      scenery: this.#scenery,
      seed,
      log,
      acknowledged: () => this.#acknowledged,
    });
    network.connect({ receiver: this.#product, coreUrl: core.url });
    ground.bustle.run = () => this.#burst(2);
  }

  static async start(seed: number, options: SimulationOptions): Promise<Simulation> {
    return new Simulation(seed, { ground: await layGround(seed, options.echo), options });
  }

  /** Real time is bounded: whatever waits for ever has to be found, too. */
  async runInTime(steps: number): Promise<Verdict> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<Verdict>((resolve) => {
      timer = setTimeout(() => {
        this.#problems.push(`stuck: not at rest after ${STUCK_MS / 1_000} s of real time`);
        resolve(this.#verdict({}));
      }, STUCK_MS);
    });
    try {
      return await Promise.race([this.#run(steps), stuck]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #run(steps: number): Promise<Verdict> {
    await this.#product.start();
    for (const { vaultId } of this.#scenery.vaults) {
      const url = `${this.#network.webhookOrigin}/hooks/${PATH_TOKEN}`;
      this.#core.delivery.subscribe(vaultId, url, STREAMS);
    }
    for (let step = 0; step < steps; step += 1) await this.#step();
    await this.#comeToRest();
    this.#audit();
    const extent = this.#extent();
    this.#log.add(`sealed ${lastSealOf(this.#product.path)}`);
    this.#log.add(`end ${JSON.stringify(extent)}`);
    return this.#verdict(extent);
  }

  #verdict(extent: Readonly<Record<string, number>>): Verdict {
    return {
      seed: this.#seed,
      problems: this.#problems,
      digest: this.#log.digest(),
      events: this.#log.lines,
      tail: this.#log.tail(),
      extent,
    };
  }

  keep(path: string): void {
    copyStore(this.#product.path, path);
  }

  async close(): Promise<void> {
    await this.#product.close();
    await this.#core.stop();
    await this.#network.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #step(): Promise<void> {
    const chance = this.#chance;
    if (!this.#product.isUp && chance.happens(0.5)) await this.#startAgain();
    const action = chance.weighted(ACTIONS);
    switch (action) {
      case 'traffic':
        await this.#burst(1);
        break;
      case 'burst':
        await this.#burst(chance.between(2, 6));
        break;
      case 'time':
        await this.#pass(chance.pick([1_000, 15_000, 60_000, 700_000, 3_600_000, 20_000_000]));
        break;
      case 'sweep':
        await this.#sweep();
        break;
      case 'verify':
        await this.#verify();
        break;
      case 'office':
        await this.#office.act();
        break;
      case 'lie':
        if (this.#lying) await this.#forger.lie();
        break;
      case 'redeliver':
        await this.#redeliver();
        break;
      case 'override':
        this.#overrideDepths();
        break;
      case 'kill':
        this.#log.add('kill');
        this.#product.kill();
        break;
      case 'weather':
        await this.#changeWeather();
        break;
      case 'clockJump':
        this.#product.skewMs = chance.pick([0, 0, -600_000, -5_000, 90_000, 600_000, 86_400_000]);
        this.#log.add(`the product's clock is off by ${this.#product.skewMs}`);
        break;
      default:
        action satisfies never;
    }
    await this.#clock.advance(0);
  }

  /** Old deliveries again, all at once: somebody replays what they recorded. */
  async #redeliver(): Promise<void> {
    const bodies = Array.from({ length: this.#chance.between(1, 12) }, () =>
      this.#chance.pickAny(this.#acknowledged),
    ).filter((body) => body !== undefined);
    const statuses = await Promise.all(bodies.map((body) => this.#product.deliver(body)));
    this.#log.add(`redelivered: ${statuses.join(' ')}`);
  }

  /** A vault's owner suppresses deep confirmations, or wants them all again. */
  #overrideDepths(): void {
    const { vaultId } = this.#chance.pick(this.#scenery.vaults);
    const override = this.#chance.happens(0.3) ? {} : this.#someDepths();
    this.#core.delivery.subscriptions.setOverride(vaultId, override);
    this.#log.add(`override ${vaultId} ${JSON.stringify(override)}`);
  }

  #someDepths(): Record<string, number> {
    const { networks } = this.#scenery;
    return Object.fromEntries(
      networks.map(({ key, confirmations }) => [key, this.#chance.pick(confirmations)] as const),
    );
  }

  async #burst(most: number): Promise<void> {
    for (let left = most; left > 0; left -= 1) this.#traffic.act();
    this.#watch();
    await this.#clock.advance(0);
  }

  /** A credit may be due at any depth that a hash ever had. */
  #watch(): void {
    for (const { blockchainHash, confirmations } of this.#core.world.truthTransactions()) {
      const before = this.#deepest.get(blockchainHash) ?? 0;
      if (confirmations > before) this.#deepest.set(blockchainHash, confirmations);
    }
  }

  async #pass(ms: number): Promise<void> {
    this.#log.add(`time ${ms}`);
    await this.#clock.advance(ms);
  }

  async #sweep(): Promise<void> {
    this.#sweeps += 1;
    this.#log.add('sweep');
    const result = await this.#product.sweep();
    if (result === DIED) this.#log.add('sweep: died');
    else if (result.kind === 'not_recorded') this.#log.add(`sweep: ${result.cause}`);
    else {
      const { matched, broken, skipped, incomplete } = result.run;
      const text = JSON.stringify({ matched, broken, skipped, incomplete });
      // Fresh ports in an error's text would make runs differ.
      this.#log.add(`sweep: ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'core')}`);
    }
  }

  async #verify(): Promise<void> {
    this.#rounds += 1;
    this.#log.add(`verify: ${await this.#product.verify()}`);
  }

  async #startAgain(): Promise<void> {
    this.#deaths += 1;
    this.#log.add('start');
    await this.#product.start();
  }

  async #changeWeather(): Promise<void> {
    this.#log.add(`weather ${this.#weather.change()}`);
    await this.#putFaults();
  }

  async #putFaults(): Promise<void> {
    await callControl(this.#core, 'PUT /sim/faults', this.#weather.coreFaults);
  }

  /** Faults end, what is delayed arrives, every order ends, blocks bury everything, sweeps follow. */
  async #comeToRest(): Promise<void> {
    this.#weather.clear();
    await this.#putFaults();
    this.#product.skewMs = 0;
    if (!this.#product.isUp) await this.#startAgain();
    this.#log.add('rest');
    this.#traffic.decideAll();
    await this.#deliverAll();
    await this.#pass(PAUSE_MS_MAX);
    this.#traffic.fillGaps();
    this.#traffic.bury(BURIAL_BLOCKS);
    this.#watch();
    await this.#deliverAll();
    for (let count = 0; count < SWEEPS_AT_REST; count += 1) {
      await this.#pass(count % 2 === 0 ? REST_MS : GRACE_MS + 60_000);
      await this.#sweep();
      await this.#office.clearDesk();
      if (count === 2) await this.#office.resolveUnexplained();
      await this.#deliverAll();
    }
  }

  async #deliverAll(): Promise<void> {
    const vaultIds = this.#scenery.vaults.map(({ vaultId }) => vaultId);
    if (await drainBacklogs(this.#ground, vaultIds)) return;
    this.#problems.push('a backlog is not delivered although nothing is in its way');
  }

  #audit(): void {
    const { path } = this.#product;
    const evidence = gatherEvidence({
      world: this.#core.world,
      scenery: this.#scenery,
      deepest: this.#deepest,
      attributed: this.#office.attributed,
      lies: this.#forger.lies,
      acknowledged: this.#acknowledged,
    });
    this.#problems.push(...replayProblems(path), ...this.#inspect(path, evidence));
  }

  #extent(): Record<string, number> {
    return {
      ...extentOf(this.#product.path),
      transactions: this.#core.world.truthTransactions().length,
      acknowledged: this.#acknowledged.length,
      sweeps: this.#sweeps,
      rounds: this.#rounds,
      deaths: this.#deaths,
      lies: this.#forger.lies.length,
    };
  }
}

/** Runs one seed from beginning to end. Same seed and options, same digest. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Verdict> {
  const simulation = await Simulation.start(seed, options);
  try {
    const verdict = await simulation.runInTime(options.steps ?? STEPS);
    if (options.keep !== undefined) simulation.keep(options.keep);
    return verdict;
  } finally {
    await simulation.close();
  }
}
