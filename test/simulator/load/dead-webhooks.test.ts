import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CoreProcess } from '../core-process.ts';
import { payEveryone, populate, TOLD_PER_DEPOSIT } from '../population.ts';
import type { Inhabitant } from '../population.ts';

const VAULTS = 1_000;
const DEPOSITS = 6;
const PER_VAULT = DEPOSITS * TOLD_PER_DEPOSIT.length;
/** Vaults are made from this many sides at once. */
const SIDES = 4;
/**
 * Real time after the last event by which every living vault knows everything; on a machine that is
 * busy or slow, twice what it took to bring the events about.
 */
const TIMELY_MS = 60_000;

interface Told {
  stream: string;
  type: string;
  blockchainHash: string;
  confirmations: number;
}

/**
 * Vaults by the path of their webhook; one in ten is dead. Two thirds of those never answer, which is
 * more than there are slots for attempts; the others refuse or break off.
 */
class Crowd {
  readonly told = new Map<string, string[]>();
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();
  readonly #complete = new Map<string, () => void>();
  isRevived = false;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the vaults of these indexes have been told all there is. */
  async complete(indexes: readonly number[]): Promise<void> {
    await Promise.all(
      indexes
        .map((index) => `/${index}`)
        .filter((path) => this.told.get(path)?.length !== PER_VAULT)
        .map((path) => new Promise<void>((resolve) => this.#complete.set(path, resolve))),
    );
  }

  revive(): void {
    this.isRevived = true;
    for (const response of this.#hanging) response.destroy();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const { stream, type, blockchainHash, confirmations } = JSON.parse(await text(request)) as Told;
    const index = Number(path.slice(1));
    if (isDead(index) && !this.isRevived) {
      if (index % 30 !== 10) this.#hanging.add(response);
      else if (index % 20 === 10) response.destroy();
      else response.writeHead(500).end();
      return;
    }
    const told = this.told.get(path) ?? [];
    this.told.set(path, told);
    told.push(`${blockchainHash} ${stream} ${type} ${confirmations}`);
    response.writeHead(204).end();
    if (told.length === PER_VAULT) this.#complete.get(path)?.();
  }
}

function isDead(index: number): boolean {
  return index % 10 === 0;
}

let core: CoreProcess;
let crowd: Crowd;

beforeEach(async () => {
  crowd = new Crowd();
  core = await CoreProcess.start('--no-mine');
}, 40_000);

afterEach(async () => {
  await core.remove();
  crowd.close();
});

async function settle(url: string): Promise<Inhabitant[]> {
  const share = VAULTS / SIDES;
  const sides = Array.from({ length: SIDES }, (_, side) =>
    populate(core, {
      from: side * share,
      to: (side + 1) * share,
      network: 'bitcoin',
      urlOf: (index) => `${url}/${index}`,
    }),
  );
  return (await Promise.all(sides)).flat();
}

/** Asks until the retry was pulled forward, or until the vault is being told anyway. */
async function pullForward({ vaultId }: Inhabitant, path: string): Promise<void> {
  const call = `/subscriptions/${vaultId}/notifications/retry-schedule`;
  while (!crowd.told.has(path)) {
    const answer = await core.api('PATCH', call);
    expect(answer.status).toBe(200);
    if (answer.body['nextTryAt'] !== null) return;
  }
}

test('a hundred dead webhooks in a thousand vaults keep the living waiting for nothing', async () => {
  const beginning = performance.now();
  const inhabitants = await settle(await crowd.listen());
  const hashes: string[][] = [];
  for (let deposit = 0; deposit < DEPOSITS; deposit += 1) {
    hashes.push(await payEveryone(core, inhabitants));
  }
  const expectedOf = (index: number): string[] =>
    hashes.flatMap((round) => TOLD_PER_DEPOSIT.map((told) => `${round[index]} ${told}`));
  const indexes = inhabitants.map((_inhabitant, index) => index);
  const living = indexes.filter((index) => !isDead(index));
  const dead = indexes.filter(isDead);

  const lastEvent = performance.now();
  await crowd.complete(living);
  const livingMs = performance.now() - lastEvent;
  expect(livingMs).toBeLessThan(Math.max(TIMELY_MS, 2 * (lastEvent - beginning)));
  for (const index of living) expect(crowd.told.get(`/${index}`)).toEqual(expectedOf(index));
  for (const index of dead) expect(crowd.told.has(`/${index}`)).toBe(false);

  crowd.revive();
  const revival = performance.now();
  for (const index of dead) {
    const inhabitant = inhabitants[index];
    if (inhabitant !== undefined) await pullForward(inhabitant, `/${index}`);
  }
  await crowd.complete(dead);
  const deadMs = performance.now() - revival;
  for (const index of dead) expect(crowd.told.get(`/${index}`)).toEqual(expectedOf(index));
  console.info(
    `${living.length} living vaults had all ${PER_VAULT} of theirs ${Math.round(livingMs)} ms after the last event; ` +
      `${dead.length} revived ones ${Math.round(deadMs)} ms after their revival`,
  );
}, 300_000);
