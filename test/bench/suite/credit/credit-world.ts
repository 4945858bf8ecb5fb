import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { RequestBudget } from '../../../../src/custody/budget/budget.ts';
import { WINDOWS } from '../../../../src/custody/budget/lane.ts';
import { MemoryRequestLog } from '../../../../src/custody/budget/request-log.ts';
import { CustodyClient } from '../../../../src/custody/client.ts';
import { generateKeyPair } from '../../../../src/custody/token.ts';
import type { Fact } from '../../../../src/domain/fact/fact.ts';
import { CommitQueue } from '../../../../src/intake/commit-queue.ts';
import { submitAll } from '../../../../src/intake/fact-queue.ts';
import { decode } from '../../../../src/intake/decode.ts';
import { Sweep } from '../../../../src/reconcile/sweep/sweep.ts';
import { CreditLatency } from '../../../../src/reconcile/verifying/credit-latency.ts';
import { CustodyChanges } from '../../../../src/reconcile/verifying/custody-changes.ts';
import { VerifierLoop } from '../../../../src/reconcile/verifying/verifier-loop.ts';
import { Verifier } from '../../../../src/reconcile/verifying/verifier.ts';
import { VirtualClock } from '../../../../src/simulator/clock.ts';
import { startCore, type RunningCore } from '../../../../src/simulator/core.ts';
import { openForReading, openForWriting } from '../../../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../../../src/store/sqlite/sqlite-ledger.ts';
import { SqliteReads } from '../../../../src/store/sqlite/reads/sqlite-reads.ts';
import { listenOnLoopback } from '../../../loopback-receiver.ts';
import { callControl, scratchFolder } from '../../../simulation/product/run-setup.ts';
import { VirtualTime } from './virtual-time.ts';

const GRACE_MS = 600_000;
const SWEEP_MS = 60_000;
const BODY_QUEUE_MAX = 8_192;
const BATCH_MAX = 512;
function factOf(raw: Uint8Array, at: number): Fact {
  const read = decode(raw);
  if (read.kind === 'malformed') throw new Error(read.defect);
  return { ...read, at, raw };
}

/** Where deposits of a scenario go. */
export interface Address {
  readonly vaultId: string;
  readonly addressId: string;
}

/** What a receiver does with a vault's webhooks. */
export type VaultMood = 'takes' | 'refuses' | 'loses';

export interface WorldOptions {
  readonly network: string;
  /** Depth of the crediting policy. */
  readonly confirmations: number;
  readonly vaults: number;
  readonly addressesPerVault: number;
  readonly moodOf?: (vault: number) => VaultMood;
  readonly apiFaults?: readonly object[];
  /** The hour before was as busy: the burst of the budget is used up. */
  readonly isBusySinceAnHour?: boolean;
}

/** Custody core, network and product in one process and on one virtual clock, over real HTTP. */
export class CreditWorld {
  readonly time: VirtualTime;
  readonly core: RunningCore;
  readonly addresses: readonly Address[];
  /** Block → feed of every credit, in virtual milliseconds. */
  readonly latenciesMs: number[] = [];
  /** Credits by an answer that came before the deposit's own webhook. */
  readonly early: { readonly count: number };
  /** When each request was sent, virtual Unix milliseconds. */
  readonly requestsAtMs: number[] = [];
  readonly #loop: VerifierLoop;
  readonly #sweep: Sweep;
  readonly #end: () => Promise<void>;
  readonly #submit: (bodies: readonly Buffer[]) => Promise<void>;
  #ended = false;
  #forged = 0;

  private constructor(parts: {
    time: VirtualTime;
    core: RunningCore;
    addresses: readonly Address[];
    latenciesMs: number[];
    early: { readonly count: number };
    requestsAtMs: number[];
    loop: VerifierLoop;
    sweep: Sweep;
    end: () => Promise<void>;
    submit: (bodies: readonly Buffer[]) => Promise<void>;
  }) {
    this.time = parts.time;
    this.core = parts.core;
    this.addresses = parts.addresses;
    this.latenciesMs = parts.latenciesMs;
    this.early = parts.early;
    this.requestsAtMs = parts.requestsAtMs;
    this.#loop = parts.loop;
    this.#sweep = parts.sweep;
    this.#end = parts.end;
    this.#submit = parts.submit;
  }

  static async start(options: WorldOptions): Promise<CreditWorld> {
    const { confirmations } = options;
    const { publicKeyPem, privateKeyPem } = await generateKeyPair();
    const core = await startCore({ port: 0, seed: 1, clock: 'virtual' });
    if (!(core.clock instanceof VirtualClock)) throw new Error('the clock is not virtual');
    const time = new VirtualTime(core.clock);
    const now = (): number => time.now();
    const folder = scratchFolder();
    const path = join(folder, 'store.db');
    const ledger = new SqliteLedger(openForWriting(path), { decode, now });
    const reads = new SqliteReads(openForReading(path));
    const moods = new Map<string, VaultMood>();
    const dueAt = new Map<string, number>();
    const latenciesMs: number[] = [];
    const early = { count: 0 };
    const loop: { current?: VerifierLoop } = {};
    const queue = new CommitQueue({
      ledger,
      batchMax: BATCH_MAX,
      queueMax: BODY_QUEUE_MAX,
      onNews: (news) => {
        for (const { depositId } of news.fed) {
          const at = dueAt.get(depositId);
          if (at === undefined) early.count += 1;
          else latenciesMs.push(now() - at);
          dueAt.delete(depositId);
        }
        for (const { depositId, vaultId } of news.due) {
          // No webhook of vaults with faults arrives.
          if (moods.get(vaultId) !== 'takes' || dueAt.has(depositId)) continue;
          dueAt.set(depositId, now());
        }
        loop.current?.take(news);
      },
    });
    await queue.submit(policyFact(confirmations, now()));
    const receiver = await listenOnLoopback(async ({ path: hook, raw }) => {
      const mood = moods.get(hook.slice(1));
      if (mood === 'refuses') return 500;
      if (mood === 'loses') return 200;
      const wakes = time.areAllAsleep;
      const answer = await queue.submit(factOf(raw, now()));
      // Time stands still while a webhook is under way: an actor that it wakes sets an alarm first.
      // An actor that asked for a replay is awake, and waits for the answer to this webhook.
      if (wakes) await time.allAsleep();
      return answer.kind === 'busy' || answer.kind === 'unavailable' ? 503 : 200;
    });
    const permissions = ['Vault:read', 'manageVaults', 'manageNotifications'];
    const body = { name: 'bench', type: 'api', publicKeyPem, permissions };
    const { clientId } = (await callControl(core, 'POST /sim/clients', body)) as {
      clientId: string;
    };
    const log = new MemoryRequestLog();
    const requestsAtMs: number[] = [];
    const client = new CustodyClient({
      baseUrl: core.url,
      clientId,
      privateKey: createPrivateKey(privateKeyPem),
      clock: time.requests,
      random: () => 0.5,
      log,
      observe: () => requestsAtMs.push(now()),
    });
    const custody = client;
    const changes = new CustodyChanges({ custody, now });
    const submit = (facts: readonly Fact[]) => submitAll(queue, facts);
    const shared = { reads, custody, changes, submit, now, graceMs: GRACE_MS };
    const verifier = new Verifier({
      ...shared,
      latency: new CreditLatency({ observe: () => undefined }),
      wantSweep: () => undefined,
    });
    const bug = (error: unknown): void => console.error('verification failed', error);
    loop.current = new VerifierLoop({ verifier, clock: time.pauses, onBug: bug });
    const subscription = { webhookUrl: `${receiver.url}/any`, vaults: 'all' } as const;
    const sweep = new Sweep({ ...shared, subscription });
    const addresses = makeAddresses(core, options, (vaultId, vault) => {
      moods.set(vaultId, options.moodOf?.(vault) ?? 'takes');
      core.delivery.subscribe(vaultId, `${receiver.url}/${vaultId}`, ['incoming', 'outgoing']);
    });
    if (options.isBusySinceAnHour === true) fillAnHour(log, now());
    // A sweep has read the list before, as it has in any daemon that runs for a minute.
    await sweep.run();
    requestsAtMs.length = 0;
    await callControl(core, 'PUT /sim/faults', { api: options.apiFaults ?? [] });
    const end = async (): Promise<void> => {
      await client.close();
      await receiver.close();
      await core.stop();
      reads.close();
      ledger.close();
    };
    const measured = { latenciesMs, early, requestsAtMs };
    const world = { time, core, addresses, ...measured, loop: loop.current, sweep };
    const submitBodies = async (bodies: readonly Buffer[]): Promise<void> => {
      const at = now();
      await submitAll(
        queue,
        bodies.map((raw) => factOf(raw, at)),
      );
    };
    return new CreditWorld({ ...world, end, submit: submitBodies });
  }

  /** The verifier and the sweep begin to work. */
  begin(): void {
    this.time.enter();
    this.#loop.start();
    this.time.enter();
    void this.#sweepEachMinute();
  }

  async #sweepEachMinute(): Promise<void> {
    while (!this.#ended) {
      await this.#sweep.run();
      await this.time.sleep(SWEEP_MS - (this.time.now() % SWEEP_MS));
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#loop.stop();
    await this.#end();
  }

  /** Somebody who knows the webhook's URL makes up deposits that are deep enough. */
  async forge(
    count: number,
    { network, asset }: { network: string; asset: string },
  ): Promise<void> {
    const [address] = this.addresses;
    const at = this.time.now();
    const bodies = Array.from({ length: count }, () => {
      this.#forged += 1;
      const id = `forged-${this.#forged}`;
      const position = { id: address?.addressId, networkAddress: 'x', network };
      const change = { asset, amount: '1000000', tags: [], address: position };
      const serviceCount = { id, timestamp: at, stream: 'incoming', type: 'confirmation', network };
      const where = { vaultId: address?.vaultId, addressId: address?.addressId };
      const hash = { blockchainHash: id, transactionId: id, confirmations: 12 };
      return { ...serviceCount, ...where, ...hash, balanceChanges: [change], metadata: {} };
    });
    await this.#submit(bodies.map((body) => Buffer.from(JSON.stringify(body))));
  }

  /** Somebody pays an address. */
  pay(address: Address, network: string, asset: string): void {
    const { addressId } = address;
    const outputs = [{ addressId, asset, amount: 1_000_000n }];
    const paid = this.core.world.deposit({ network, outputs });
    if (paid.kind === 'refused') throw new Error(paid.message);
  }
}

function policyFact(confirmations: number, at: number): Fact {
  const policy = { default: { confirmations }, networks: {}, assets: {} };
  const reason = 'the bench says so';
  const decision = {
    kind: 'policy',
    source: 'config',
    policy,
    configured: policy,
    reason,
  } as const;
  return { kind: 'decision', at, actor: 'config', decision };
}

function made<Record>(outcome: { kind: string; record?: Record }): Record {
  if (outcome.record === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.record;
}

function makeAddresses(
  core: RunningCore,
  options: WorldOptions,
  onVault: (vaultId: string, index: number) => void,
): Address[] {
  const addresses: Address[] = [];
  for (let index = 0; index < options.vaults; index += 1) {
    const { vaultId } = made(core.world.createVault({ name: `vault ${index}` }));
    const { accountId } = made(core.world.createAccount({ vaultId, name: 'main' }));
    onVault(vaultId, index);
    for (let count = 0; count < options.addressesPerVault; count += 1) {
      const address = core.world.createAddress({ accountId, network: options.network });
      addresses.push({ vaultId, addressId: made(address).addressId });
    }
  }
  return addresses;
}

/** The requests of an hour in which verification asked as often as its pace let it. */
function fillAnHour(log: MemoryRequestLog, nowMs: number): void {
  let atMs = nowMs - WINDOWS.hour.spanMs;
  const budget = new RequestBudget({ now: () => atMs, log });
  while (atMs < nowMs) {
    const reserved = budget.reserve({ priority: 'verification', deadlineMs: nowMs });
    if (reserved.kind === 'now') reserved.finish();
    else if (reserved.kind === 'wait-until') atMs = reserved.atMs;
    else return;
  }
}
