import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { OwnerClient } from '../../../src/daemon/receivers/owner-client.ts';
import {
  ReceiverQueue,
  type QueueClock,
  type ReceiverQueueOptions,
} from '../../../src/daemon/receivers/receiver-queue.ts';
import {
  receiverRoutes,
  type OwnerServices,
} from '../../../src/daemon/receivers/receiver-routes.ts';
import { ReplicaPosition } from '../../../src/daemon/receivers/replica-position.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { decode } from '../../../src/intake/decode.ts';
import type { VirtualClock } from '../../../src/simulator/clock.ts';
import type { Owner } from '../../../src/store/replicated/shared-journal.ts';
import { OpenLedger } from '../../store/open-ledger.ts';

export const SECRET = 's'.repeat(32);
export const NOW = 1_763_600_000_000;
const NEVER = (): Promise<never> => Promise.reject(new Error('nobody asks for this'));

/** A receiver with a store of its own that takes facts of others over HTTP. */
export class TestOwner {
  readonly open = new OpenLedger();
  readonly refused: string[] = [];
  /** Null: it is not the owner. */
  epoch: number | null = 1;
  services: OwnerServices | null = null;
  now = NOW;
  readonly #queue = new CommitQueue({
    ledger: this.open.ledger,
    batchMax: 256,
    queueMax: 1_000,
  });
  readonly #routes;

  constructor({ bodyBytesMax = 65_536 }: { readonly bodyBytesMax?: number } = {}) {
    this.#routes = receiverRoutes({
      secret: SECRET,
      bodyBytesMax,
      epoch: () => this.epoch,
      services: () => this.services,
      submit: (fact) => this.#queue.submit(fact),
      decode,
      position: () => this.open.ledger.head.lastSeq,
      now: () => this.now,
      observe: (why) => this.refused.push(why),
    });
  }

  /** Listens, over HTTPS for `localhost` with a certificate, and says where as the journal would. */
  async listen(tls?: { readonly cert: string; readonly key: string }): Promise<Owner> {
    const app = new Hono().route('/receivers', this.#routes);
    const { port } = await new Promise<AddressInfo>((resolve) => {
      const options = { fetch: app.fetch, hostname: '127.0.0.1', port: 0 };
      const server = serve(
        tls === undefined
          ? options
          : { ...options, createServer, serverOptions: { cert: tls.cert, key: tls.key } },
        (address) => resolve(address),
      );
      onTestFinished(() => void server.close());
    });
    const url = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
    return { name: 'owner', url, epoch: 1, isLeased: true };
  }

  /** Facts in its journal. */
  get facts(): number {
    return this.open.ledger.head.lastSeq;
  }
}

interface FollowerOptions extends Partial<ReceiverQueueOptions> {
  readonly secret?: string;
  readonly ca?: string;
  readonly now?: () => number;
}

/** A queue's clock that moves when a test advances the virtual one. */
export function queueClock(virtual: VirtualClock): QueueClock {
  return {
    now: () => virtual.now(),
    at: (timeMs, ring) => {
      const handle = virtual.at(timeMs, ring);
      return () => virtual.cancel(handle);
    },
  };
}

/** A receiver without a writer, which hands everything on. */
export function follower({ secret = SECRET, ca, now = () => NOW, ...more }: FollowerOptions = {}) {
  const client = new OwnerClient({ name: 'follower', secret, ca: ca ?? null, now });
  onTestFinished(() => client.end());
  const applied = new ReplicaPosition();
  const observed: string[] = [];
  const queue = new ReceiverQueue({
    local: { submit: NEVER },
    hand: (owner, facts) => client.hand(owner, facts),
    applied,
    queueMax: 100,
    observe: (result) => observed.push(result),
    ...more,
  });
  return { queue, client, applied, observed };
}
