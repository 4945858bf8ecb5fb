import { rmSync } from 'node:fs';
import { Auditor } from './audit/auditor.ts';
import { Chance } from './seeded-draws.ts';
import { Steps } from './steps.ts';
import { gatherEvidence } from './audit/evidence.ts';
import { copyStore, storeCountsOf, lastSealOf } from './store-counts.ts';
import { setUpRun, scratchFolder, type RunSetup } from './product/run-setup.ts';
import { OneProcess } from './product/one-process.ts';
import type { Product, ProductOptions } from './product/product.ts';
import { Receivers } from './receivers/receivers.ts';
import { replayProblems } from './audit/replay-check.ts';
import { makeCustodySetup, type CustodySetup } from './people/custody-setup.ts';
import type { SimulationOptions, Verdict } from './verdict.ts';

const PATH_TOKEN = 'a-secret-path-of-this-simulation-only';
const STREAMS = ['outgoing', 'incoming', 'blockchain'] as const;
const STEPS = 60;
/** In how many seeds days pass and are closed. */
const CLOSING_SEEDS = 0.5;
/** A run takes seconds, on a busy machine too. */
const STUCK_MS = 200_000;

/**
 * The custody core, the product and the network between them in one process, on one virtual clock
 * and from one seed: the steps of a run, then the audit.
 */
class Simulation {
  readonly #seed: number;
  readonly #folder = scratchFolder();
  readonly #runSetup: RunSetup;
  readonly #custodySetup: CustodySetup;
  readonly #product: Product;
  readonly #steps: Steps;
  readonly #closing: boolean;
  readonly #inspect: NonNullable<SimulationOptions['inspect']>;

  private constructor(seed: number, parts: { runSetup: RunSetup; options: SimulationOptions }) {
    const { runSetup, options } = parts;
    const { core, network } = runSetup;
    this.#seed = seed;
    this.#inspect = options.inspect ?? ((path, evidence) => new Auditor(path, evidence).audit());
    this.#runSetup = runSetup;
    this.#closing = options.closes ?? new Chance(seed, 'closing seeds').happens(CLOSING_SEEDS);
    this.#custodySetup = makeCustodySetup(core.world, seed);
    this.#product = productOf(this.#folder, { ...parts, seed });
    this.#steps = new Steps({
      runSetup,
      product: this.#product,
      custodySetup: this.#custodySetup,
      seed,
      lying: options.falseWebhooks ?? seed % 4 !== 0,
      closing: this.#closing,
    });
    network.connect({ receiver: this.#product, coreUrl: core.url });
  }

  static async start(seed: number, options: SimulationOptions): Promise<Simulation> {
    return new Simulation(seed, { runSetup: await setUpRun(seed, options.echo), options });
  }

  /** Real time is bounded, so that a wait without end fails the run. */
  async runInTime(steps: number): Promise<Verdict> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<Verdict>((resolve) => {
      timer = setTimeout(() => {
        const { problems } = this.#runSetup;
        problems.push(`stuck: not at rest after ${STUCK_MS / 1_000} s of real time`);
        // The run goes on while its product is closed: what fails then shows nothing.
        resolve({ ...this.#verdict({}), problems: [...problems] });
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
    const { core, network, log } = this.#runSetup;
    for (const { vaultId } of this.#custodySetup.vaults) {
      const url = `${network.webhookOrigin}/hooks/${PATH_TOKEN}`;
      core.delivery.subscribe(vaultId, url, STREAMS);
    }
    for (let step = 0; step < steps; step += 1) await this.#steps.step();
    await this.#steps.comeToRest();
    await this.#audit();
    const extent = this.#extent();
    log.add(`sealed ${lastSealOf(this.#product.paths[0])}`);
    log.add(`end ${JSON.stringify(extent)}`);
    return this.#verdict(extent);
  }

  #verdict(extent: Readonly<Record<string, number>>): Verdict {
    const { problems, log } = this.#runSetup;
    return {
      seed: this.#seed,
      problems,
      digest: log.digest(),
      events: log.lines,
      tail: log.tail(),
      extent,
    };
  }

  keep(path: string): void {
    copyStore(this.#product.paths[0], path);
  }

  async close(): Promise<void> {
    await this.#product.close();
    await this.#runSetup.core.stop();
    await this.#runSetup.network.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
  async #audit(): Promise<void> {
    const { core, acknowledged, problems } = this.#runSetup;
    const { depths, operators, forger } = this.#steps;
    const evidence = gatherEvidence({
      world: core.world,
      custodySetup: this.#custodySetup,
      depthsAtCredit: depths.atCredit,
      attributed: operators.attributed,
      falseWebhooks: forger.falseWebhooks,
      acknowledged,
      isLastDayAtRest: this.#closing,
      daysByWrongClock: this.#steps.closing?.daysByWrongClock ?? new Set(),
    });
    const { paths } = this.#product;
    problems.push(...(await this.#product.problems()), ...replayProblems(paths[0]));
    for (const path of paths) problems.push(...this.#inspect(path, evidence));
  }

  #extent(): Record<string, number> {
    const { core, acknowledged } = this.#runSetup;
    return {
      ...storeCountsOf(this.#product.paths[0]),
      ...this.#product.extent(),
      transactions: core.world.truthTransactions().length,
      acknowledged: acknowledged.length,
      ...this.#steps.extent(),
    };
  }
}

/** One process with SQLite alone, or several receivers of one journal. */
function productOf(
  folder: string,
  { seed, runSetup, options }: { seed: number; runSetup: RunSetup; options: SimulationOptions },
): Product {
  const { clock, log, faultSchedule, network, client, problems } = runSetup;
  const jitter = new Chance(seed, 'jitter');
  const product: ProductOptions = {
    folder,
    clock,
    pathToken: PATH_TOKEN,
    webhookUrl: `${network.webhookOrigin}/hooks/${PATH_TOKEN}`,
    api: { urlFor: (process) => network.apiUrl(process), ...client },
    fate: (facts) => {
      const fate = faultSchedule.commitFate();
      log.add(`commit ${facts.map(({ kind }) => kind).join(' ')}: ${fate}`);
      return fate;
    },
    tornBytes: () => faultSchedule.tornBytes(),
    random: () => jitter.fraction(),
    hangs: (process) => network.hangs(process),
  };
  const { receivers = 1, mistakes } = options;
  if (receivers === 1) return new OneProcess(product);
  return new Receivers({
    ...product,
    count: receivers,
    seed,
    mistakes,
    log: (line) => log.add(line),
    defect: (text) => problems.push(text),
  });
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
