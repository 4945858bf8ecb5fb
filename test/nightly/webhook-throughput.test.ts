import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { RealClock } from '../../src/simulator/clock.ts';
import { Faults } from '../../src/simulator/control/fault.ts';
import { Delivery } from '../../src/simulator/delivery/delivery.ts';
import { State } from '../../src/simulator/state/state.ts';
import type { Notification } from '../../src/wire/notification.ts';

const VAULTS = 5_000;
const PER_VAULT = 8;
const NOTIFICATIONS = VAULTS * PER_VAULT;
/** Requests of the plain client that the core is measured by. */
const PLAIN_REQUESTS = 10_000;
const CONNECTIONS = 64;
/**
 * How much more processor time a delivery may take than a bare POST of Node's own client, receiver
 * included. A ratio within one run, so that neither a slow machine nor a busy one decides.
 */
const CPU_RATIO_MAX = 2;

/**
 * The most trivial receiver there is, on a thread of its own: it finds the end of each request,
 * checks that the vault's counter went up by one, and answers. It reports its port, and at the end
 * how many came and how many were out of order.
 */
const RECEIVER = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const OK = 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}';
const next = new Map();
let received = 0;
let disordered = 0;
const server = createServer((socket) => {
  let buffered = '';
  socket.setNoDelay(true).on('error', () => {}).on('data', (chunk) => {
    buffered += chunk.toString('latin1');
    for (;;) {
      const head = buffered.indexOf('\\r\\n\\r\\n');
      if (head < 0) return;
      const bodyBytes = Number(/content-length: (\\d+)/i.exec(buffered.slice(0, head))[1]);
      const end = head + 4 + bodyBytes;
      if (buffered.length < end) return;
      const [, vault, number] = /"id":"(\\d+) (\\d+)"/.exec(buffered.slice(head, end));
      buffered = buffered.slice(end);
      if ((next.get(vault) ?? 0) !== Number(number)) disordered += 1;
      next.set(vault, Number(number) + 1);
      received += 1;
      socket.write(OK);
      if (received === workerData) parentPort.postMessage({ received, disordered });
    }
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A deposit's confirmation, as long as they really are. */
function confirmation(vault: number, number: number): Notification {
  const address = '0x68b8fFC01e2E09f4F43164D7747bb7833503d138';
  const data = { customer: `customer ${vault}` };
  const uuid = '8a37b0e3-7d12-4fa2-a760-05ec75c7b93a';
  return {
    id: `${vault} ${number}`,
    timestamp: 0,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: `${vault}`,
    accountId: uuid,
    addressId: uuid,
    network: 'ethereum',
    blockchainHash: '0x34d9067034c8e8b56e9e6f4a8571d04536da02927bb250283a5460c20550cca3',
    transactionId: uuid,
    orderId: `auto-${uuid}`,
    confirmations: number,
    balanceChanges: [
      {
        asset: 'ethereum:ETH',
        amount: '1000000000000000000',
        amountFormatted: {
          asset: { name: 'ETH', decimals: 18, type: 'native' },
          value: '1.000000000000000000',
        },
        tags: [],
        address: { id: uuid, networkAddress: address, network: 'ethereum', name: '', data },
        account: { id: uuid, name: 'main', data },
      },
    ],
    metadata: {},
  };
}

/** Resolves `outcome` when so many requests have come in. */
async function startReceiver(
  total: number,
): Promise<{ port: number; outcome: Promise<{ received: number; disordered: number }> }> {
  const worker = new Worker(RECEIVER, { eval: true, workerData: total });
  ends.push(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const outcome = once(worker, 'message') as Promise<[{ received: number; disordered: number }]>;
  return { port, outcome: outcome.then(([first]) => first) };
}

/** What so many requests cost, each: microseconds of processor time, and of the clock on the wall. */
async function costOf(
  total: number,
  work: () => Promise<unknown>,
): Promise<{ cpu: number; wall: number }> {
  const [cpuBefore, before] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpu: (user + system) / total, wall: ((performance.now() - before) * 1000) / total };
}

/** The same bodies, sent by Node's own client over as many connections as the core uses. */
async function postPlainly(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const post = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(
        confirmation(number % CONNECTIONS, Math.floor(number / CONNECTIONS)),
      );
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const outgoing = request({ agent, port, host: '127.0.0.1', method: 'POST', headers });
      outgoing.once('error', reject).once('response', (incoming) => {
        incoming.resume().once('end', resolve).once('error', reject);
      });
      outgoing.end(body);
    });
  const lane = async (): Promise<void> => {
    while (next < PLAIN_REQUESTS) {
      next += 1;
      await post(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  agent.destroy();
}

test('five thousand vaults receive webhooks at once, each in order, for less than the cost of two bare POSTs', async () => {
  const yardstick = await startReceiver(PLAIN_REQUESTS);
  const plain = await costOf(PLAIN_REQUESTS, () => postPlainly(yardstick.port));
  const { port, outcome } = await startReceiver(NOTIFICATIONS);
  const clock = new RealClock();
  const state = new State({ seed: 1 });
  const faults = new Faults(state.table('faults'), state.seed);
  const policy = { allowLoopback: true, allowPrivate: false };
  const delivery = new Delivery({ state, clock, faults, policy });
  ends.push(() => delivery.stop());
  for (let vault = 0; vault < VAULTS; vault += 1) {
    delivery.subscribe(`${vault}`, `http://127.0.0.1:${port}/hooks/${vault}`, ['incoming']);
  }
  const delivered = await costOf(NOTIFICATIONS, () => {
    for (let number = 0; number < PER_VAULT; number += 1) {
      for (let vault = 0; vault < VAULTS; vault += 1) {
        delivery.enqueue(`${vault}`, confirmation(vault, number));
      }
    }
    return outcome;
  });
  const shown = ({ cpu, wall }: { cpu: number; wall: number }): string =>
    `${Math.round(1_000_000 / wall)} a second, ${Math.round(cpu)} µs of processor time each`;
  console.info(
    `${NOTIFICATIONS} notifications over ${VAULTS} vaults: ${shown(delivered)}; bare POSTs: ${shown(plain)}`,
  );
  expect(await outcome).toEqual({ received: NOTIFICATIONS, disordered: 0 });
  expect(delivered.cpu / plain.cpu).toBeLessThan(CPU_RATIO_MAX);
}, 60_000);
