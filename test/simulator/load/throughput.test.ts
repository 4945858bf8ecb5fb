import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { RealClock } from '../../../src/simulator/clock.ts';
import { Faults } from '../../../src/simulator/control/fault.ts';
import { Delivery } from '../../../src/simulator/delivery/delivery.ts';
import { State } from '../../../src/simulator/state/state.ts';
import type { Notification } from '../../../src/wire/notification.ts';

const VAULTS = 5_000;
const PER_VAULT = 8;
/** What it must reach however busy the machine is; the figure that is printed is the real one. */
const PER_SECOND_MIN = 1_000;

/**
 * The most trivial receiver there is, on a thread of its own: it finds the end of each request,
 * checks that the vault's counter went up by one, and answers. It tells its port, and at the end
 * how many came and how many were out of order.
 */
const RECEIVER = `
const { createServer } = require('node:net');
const { parentPort } = require('node:worker_threads');
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
      if (received === ${VAULTS * PER_VAULT}) parentPort.postMessage({ received, disordered });
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

test('five thousand vaults are told at once, each in order', async () => {
  const receiver = new Worker(RECEIVER, { eval: true });
  ends.push(() => receiver.terminate());
  const [port] = (await once(receiver, 'message')) as [number];
  const clock = new RealClock();
  const state = new State({ seed: 1 });
  const faults = new Faults(state.table('faults'), state.seed);
  const policy = { allowLoopback: true, allowPrivate: false };
  const delivery = new Delivery({ state, clock, faults, policy });
  ends.push(() => delivery.stop());
  for (let vault = 0; vault < VAULTS; vault += 1) {
    delivery.subscribe(`${vault}`, `http://127.0.0.1:${port}/hooks/${vault}`, ['incoming']);
  }
  const done = once(receiver, 'message') as Promise<[{ received: number; disordered: number }]>;
  const start = performance.now();
  for (let number = 0; number < PER_VAULT; number += 1) {
    for (let vault = 0; vault < VAULTS; vault += 1) {
      delivery.enqueue(`${vault}`, confirmation(vault, number));
    }
  }
  const [outcome] = await done;
  const perSecond = (VAULTS * PER_VAULT) / ((performance.now() - start) / 1_000);
  console.info(
    `${VAULTS * PER_VAULT} notifications over ${VAULTS} vaults: ${Math.round(perSecond)} a second`,
  );
  expect(outcome).toEqual({ received: VAULTS * PER_VAULT, disordered: 0 });
  expect(perSecond).toBeGreaterThan(PER_SECOND_MIN);
}, 60_000);
