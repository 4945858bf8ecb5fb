import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import type { PostgresCluster } from '../../postgres/cluster.ts';
import { Daemon, type DaemonOptions } from '../daemon.ts';
import { eventually } from '../program.ts';
import { Relay } from './relay.ts';

const SECRET = 's'.repeat(32);
let journals = 0;

/** What `/readyz` says of a receiver. */
export interface ReceiverReady {
  readonly status: string;
  readonly receiver: {
    readonly name: string;
    readonly role: string;
    readonly epoch: number | null;
    readonly owner: string | null;
    readonly position: number;
    readonly cause: string | null;
    readonly warnings: readonly string[];
  };
}

/** A real daemon that shares its journal with others. */
export class RealReceiver {
  readonly daemon: Daemon;
  readonly relay: Relay;

  constructor(daemon: Daemon, relay: Relay) {
    this.daemon = daemon;
    this.relay = relay;
  }

  async start(): Promise<void> {
    await this.daemon.start();
    this.relay.port = Number(new URL(this.daemon.url).port);
  }

  async ready(): Promise<ReceiverReady> {
    const answer = await fetch(`${this.daemon.url}/readyz`);
    return (await answer.json()) as ReceiverReady;
  }

  /** Resolves when the receiver has a role. */
  async becomes(role: string): Promise<ReceiverReady> {
    return eventually(`a receiver that is ${role}`, async () => {
      const ready = await this.ready();
      return ready.receiver.role === role ? ready : undefined;
    });
  }
}

/** The address of a new journal. */
export async function newJournalUrl(cluster: PostgresCluster): Promise<string> {
  journals += 1;
  const url = cluster.url('postgres', `?schema=receivers_${journals}`);
  await initJournal(journalAddress(url), { nowMs: Date.now() });
  return url;
}

/** A receiver of a journal, not yet started; gone when the test ends. */
export async function receiverOf(
  store: string,
  name: string,
  more: object = {},
  others: Omit<DaemonOptions, 'shared'> = {},
): Promise<RealReceiver> {
  const relay = await Relay.listen();
  const daemon = new Daemon({
    ...others,
    shared: ({ folder }) => ({
      store,
      receiver: {
        name,
        url: relay.url,
        secret: SECRET,
        replica: join(folder, 'store.db'),
        standby: 'optional',
        ...more,
      },
    }),
  });
  onTestFinished(() => daemon.remove());
  return new RealReceiver(daemon, relay);
}

/** Two receivers of a new journal: the first owns it. */
export async function ownerAndFollower(
  cluster: PostgresCluster,
): Promise<{ owner: RealReceiver; follower: RealReceiver }> {
  const store = await newJournalUrl(cluster);
  const owner = await receiverOf(store, 'a');
  const follower = await receiverOf(store, 'b');
  await owner.start();
  await owner.becomes('owner');
  await follower.start();
  await follower.becomes('follower');
  return { owner, follower };
}

/** A webhook that nobody has sent before. */
export function webhook(number: number): string {
  return JSON.stringify({
    id: `n-${number}`,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: 'v1',
    accountId: 'a1',
    addressId: 'ad1',
    network: 'ethereum',
    blockchainHash: `0x${number}`,
    transactionId: `tx-${number}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', tags: [] }],
  });
}

/** Resolves when the condition holds. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  await eventually(what, async () => ((await isSo()) ? true : undefined));
}
