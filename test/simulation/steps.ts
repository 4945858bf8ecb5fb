import type { VirtualClock } from '../../src/simulator/clock.ts';
import type { RunningCore } from '../../src/simulator/core.ts';
import { Chance } from './seeded-draws.ts';
import type { EventLog } from './event-log.ts';
import { DepthHistory } from './audit/depth-history.ts';
import { Closing } from './closing.ts';
import { Forger } from './people/forger.ts';
import { Operators } from './people/operators.ts';
import type { CustodySetup } from './people/custody-setup.ts';
import { Traffic } from './people/traffic.ts';
import { GRACE_MS } from './product/duties.ts';
import { callControl, drainBacklogs, type RunSetup } from './product/run-setup.ts';
import { DIED } from './product/process-state.ts';
import type { Network } from './product/network.ts';
import type { Product } from './product/product.ts';
import type { FaultSchedule } from './product/fault-schedule.ts';

/** Deeper than every policy and every published depth of the networks that play. */
const BURIAL_BLOCKS = 30;
/** Longer than any single look-up waits for its next turn, and than any grace. */
const REST_MS = 2 * 3_600_000;
/** A paused order ends after a day. */
const PAUSE_MS_MAX = 25 * 3_600_000;
const SWEEPS_AT_REST = 6;
/** How often a reorganisation takes back what was buried, and this many blocks more at most. */
const LATE_REORGS = 0.5;
const LATE_REORG_BLOCKS_MAX = 20;
/** Blocks after it that come one by one. */
const BLOCKS_AFTER_REORG = 3;
/** How often a transaction is mined again when the world moves on while the custody API answers. */
const REMINED = 0.3;

const ACTIONS = {
  traffic: 60,
  burst: 8,
  time: 14,
  sweep: 12,
  verify: 30,
  operators: 8,
  falseWebhook: 20,
  redeliver: 4,
  override: 1,
  kill: 3,
  faultSchedule: 6,
  clockJump: 2,
} as const;

interface StepsOptions {
  readonly runSetup: RunSetup;
  readonly product: Product;
  readonly custodySetup: CustodySetup;
  readonly seed: number;
  /** Whether false webhooks are sent. */
  readonly lying: boolean;
  /** Whether days pass and are closed. */
  readonly closing: boolean;
}

/** What happens in a run: some time of traffic in which everything goes wrong that may, then rest. */
export class Steps {
  readonly operators: Operators;
  readonly forger: Forger;
  readonly depths = new DepthHistory();
  readonly #lying: boolean;
  /** Absent where no day passes. */
  readonly closing: Closing | undefined;
  readonly #chance: Chance;
  readonly #bustling: Chance;
  readonly #resting: Chance;
  readonly #runSetup: RunSetup;
  readonly #core: RunningCore;
  readonly #clock: VirtualClock;
  readonly #log: EventLog;
  readonly #faultSchedule: FaultSchedule;
  readonly #network: Network;
  readonly #product: Product;
  readonly #custodySetup: CustodySetup;
  readonly #traffic: Traffic;
  #sweeps = 0;
  #rounds = 0;
  #deaths = 0;

  constructor({ runSetup, product, custodySetup, seed, lying, closing }: StepsOptions) {
    const { core, clock, log, faultSchedule, network, acknowledged } = runSetup;
    const { world } = core;
    this.#lying = lying;
    // The name is part of the seed: with another name, each seed has other steps.
    this.#chance = new Chance(seed, 'course');
    this.#bustling = new Chance(seed, 'bustle');
    this.#resting = new Chance(seed, 'rest');
    this.#runSetup = runSetup;
    this.#core = core;
    this.#clock = clock;
    this.#log = log;
    this.#faultSchedule = faultSchedule;
    this.#network = network;
    this.#product = product;
    this.#custodySetup = custodySetup;
    this.#traffic = new Traffic({ world, custodySetup, seed, log });
    this.operators = new Operators({ product, seed, log });
    this.forger = new Forger({
      world,
      product,
      custodySetup,
      seed,
      log,
      acknowledged: () => acknowledged,
    });
    runSetup.bustle.run = () => this.#bustle();
    this.closing = closing ? this.#newClosing(seed) : undefined;
  }

  #newClosing(seed: number): Closing {
    return new Closing({
      seed,
      product: this.#product,
      clock: this.#clock,
      log: this.#log,
      pass: (ms) => this.#pass(ms),
      move: (times) => {
        this.#traffic.bury(1);
        this.#watch();
        return this.#burst(times);
      },
      publishBalanceChanges: () => {
        this.#faultSchedule.publishBalanceChanges();
        return this.#putFaults();
      },
      defect: (text) => this.#runSetup.problems.push(text),
    });
  }

  /** How much of it happened. */
  extent(): Readonly<Record<string, number>> {
    return {
      sweeps: this.#sweeps,
      rounds: this.#rounds,
      deaths: this.#deaths,
      closed: this.closing?.closed ?? 0,
      falseWebhooks: this.forger.falseWebhooks.length,
    };
  }

  /** Runs one action, drawn by its weight. */
  async step(): Promise<void> {
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
      case 'operators':
        await this.operators.act();
        break;
      case 'falseWebhook':
        if (this.#lying) await this.forger.falseWebhook();
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
      case 'faultSchedule':
        await this.#changeWeather();
        break;
      case 'clockJump':
        this.#skew(chance.pick([0, 0, -600_000, -5_000, 90_000, 600_000, 86_400_000]));
        break;
      default:
        action satisfies never;
    }
    await this.closing?.step();
    await this.#product.injectFault();
    await this.#product.idle();
    await this.#network.idle();
    await this.#clock.advance(0);
    await this.#lookAtFeed();
  }

  async #lookAtFeed(): Promise<void> {
    const { reads } = this.#product;
    if (reads !== undefined) await this.depths.look(reads);
  }

  #skew(ms: number): void {
    if (this.closing !== undefined) this.closing.skewMs = ms;
    this.#product.skew(ms);
    this.#log.add(`the product's clock is off by ${ms}`);
  }

  /** Old deliveries again, all at once: somebody replays what they recorded. */
  async #redeliver(): Promise<void> {
    const bodies = Array.from({ length: this.#chance.between(1, 12) }, () =>
      this.#chance.pickAny(this.#runSetup.acknowledged),
    ).filter((body) => body !== undefined);
    const statuses = await Promise.all(bodies.map((body) => this.#product.deliver(body)));
    this.#log.add(`redelivered: ${statuses.join(' ')}`);
  }

  /** A vault's owner suppresses deep confirmations, or wants them all again. */
  #overrideDepths(): void {
    const { vaultId } = this.#chance.pick(this.#custodySetup.vaults);
    const override = this.#chance.happens(0.3) ? {} : this.#someDepths();
    this.#core.delivery.subscriptions.setOverride(vaultId, override);
    this.#log.add(`override ${vaultId} ${JSON.stringify(override)}`);
  }

  #someDepths(): Record<string, number> {
    const { networks } = this.#custodySetup;
    return Object.fromEntries(
      networks.map(({ key, confirmations }) => [key, this.#chance.pick(confirmations)] as const),
    );
  }

  async #burst(most: number): Promise<void> {
    for (let left = most; left > 0; left -= 1) {
      this.#traffic.act();
      this.#watch();
    }
    await this.#clock.advance(0);
  }

  /** The world moves on while the custody API answers; some transactions are mined again then. */
  async #bustle(): Promise<void> {
    if (!this.#bustling.happens(REMINED)) return this.#burst(2);
    const network = this.#traffic.takeBack();
    this.#watch();
    if (network !== undefined) this.#traffic.mine(network);
    this.#watch();
    return this.#clock.advance(0);
  }

  #watch(): void {
    this.depths.watch(this.#core.world.truthTransactions());
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
    this.#log.add(`weather ${this.#faultSchedule.change()}`);
    await this.#putFaults();
  }

  async #putFaults(): Promise<void> {
    await callControl(this.#core, 'PUT /sim/faults', this.#faultSchedule.coreFaults);
  }

  /** Faults end, what is delayed arrives, every order ends, blocks bury everything, sweeps follow. */
  async comeToRest(): Promise<void> {
    this.#faultSchedule.clear();
    await this.#putFaults();
    this.#skew(0);
    await this.#product.heal();
    this.#log.add('rest');
    this.#traffic.decideAll();
    await this.#deliverAll();
    await this.#pass(PAUSE_MS_MAX);
    await this.#bury();
    if (this.#resting.happens(LATE_REORGS)) await this.#reorganiseLate();
    for (let count = 0; count < SWEEPS_AT_REST; count += 1) {
      await this.#pass(count % 2 === 0 ? REST_MS : GRACE_MS + 60_000);
      await this.#sweep();
      await this.operators.handleHeldDeposits();
      if (count === 2) await this.operators.resolveUnexplained();
      await this.#deliverAll();
    }
    await this.closing?.closeLastDay();
    await this.#lookAtFeed();
  }

  /** Everything is mined, and as deep as it can count. */
  async #bury(): Promise<void> {
    this.#traffic.fillGaps();
    this.#traffic.bury(BURIAL_BLOCKS);
    this.#watch();
    await this.#deliverAll();
  }

  /** After the credits, a reorganisation takes their blocks back, and new blocks come one by one. */
  async #reorganiseLate(): Promise<void> {
    await this.#sweep();
    await this.#lookAtFeed();
    this.#faultSchedule.bustle();
    this.#traffic.reorganise(BURIAL_BLOCKS + this.#resting.between(1, LATE_REORG_BLOCKS_MAX));
    this.#watch();
    for (let block = 0; block < BLOCKS_AFTER_REORG; block += 1) {
      await this.#deliverAll();
      await this.#pass(GRACE_MS);
      await this.#sweep();
      await this.#verify();
      await this.#lookAtFeed();
      this.#traffic.bury(1);
      this.#watch();
    }
    this.#faultSchedule.clear();
    await this.#bury();
  }

  async #deliverAll(): Promise<void> {
    const vaultIds = this.#custodySetup.vaults.map(({ vaultId }) => vaultId);
    if (await drainBacklogs(this.#runSetup, vaultIds)) return;
    this.#runSetup.problems.push('a backlog is not delivered although nothing is in its way');
  }
}
