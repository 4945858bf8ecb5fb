import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import type { VirtualClock } from '../../../src/simulator/clock.ts';
import type { EventLog } from '../event-log.ts';
import { DIED } from './process-state.ts';
import type { Delivered } from './product.ts';
import type { FaultSchedule } from './fault-schedule.ts';

/** A process that calls the custody API. */
export interface ApiCaller {
  /** Resolves while the process can read an answer; never once it is dead. */
  awake(): Promise<void>;
}

/** The product as the network sees it. */
export interface Receiver {
  /** The running process that the network names so. */
  caller(networkName: string): ApiCaller | undefined;
  deliver(body: Uint8Array): Promise<Delivered>;
}

interface Parts {
  readonly clock: VirtualClock;
  readonly faultSchedule: FaultSchedule;
  readonly log: EventLog;
  /** What happens in the world while a request of the product is under way. */
  readonly bustle: () => Promise<void>;
  /** Gets every answer 2xx of the product, whether or not it reached the sender. */
  readonly acknowledged: (body: Uint8Array) => void;
  /** Gets a text for what only a defect explains. */
  readonly defect: (text: string) => void;
}

/**
 * The wires between the two programs: webhooks one way, the custody API the other, on loopback. One
 * exchange at a time, and an answer is given only when all that it set going is done: how fast the
 * machine is changes nothing.
 */
export class Network {
  readonly #parts: Parts;
  readonly #agent = new Agent();
  readonly #servers: Server[] = [];
  #receiver: Receiver | undefined;
  #coreUrl = '';
  #webhookOrigin = '';
  #apiOrigin = '';
  /** Rings for the newest request of each process. */
  readonly #rings = new Map<string, () => void>();
  /** The process whose call is with the core right now. */
  #forwarding: string | undefined;
  /** The client has given that call up. */
  #givenUp = false;
  /** Calls that the network is not done with. */
  readonly #carried = new Set<Promise<void>>();

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open(parts: Parts): Promise<Network> {
    const network = new Network(parts);
    network.#webhookOrigin = await network.#listen((incoming, outgoing) =>
      network.#carryWebhook(incoming, outgoing),
    );
    network.#apiOrigin = await network.#listen((incoming, outgoing) =>
      network.#carryCall(incoming, outgoing),
    );
    return network;
  }

  /** Where webhooks are sent, without a path. */
  get webhookOrigin(): string {
    return this.#webhookOrigin;
  }

  /** Where a process of the product believes the custody API to be. */
  apiUrl(process: string): string {
    return `${this.#apiOrigin}/${process}`;
  }

  connect(ends: { receiver: Receiver; coreUrl: string }): void {
    this.#receiver = ends.receiver;
    this.#coreUrl = ends.coreUrl;
  }

  /** Resolves when the request that this process sends next hangs. */
  hangs(process: string): Promise<void> {
    return new Promise((resolve) => {
      this.#rings.set(process, resolve);
    });
  }

  /** Resolves when no call sets anything going any more. */
  async idle(): Promise<void> {
    while (this.#carried.size > 0) await Promise.allSettled(this.#carried);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await this.#agent.destroy();
  }

  async #listen(
    carry: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
  ): Promise<string> {
    const server = createServer((incoming, outgoing) => {
      carry(incoming, outgoing).catch((error: unknown) => {
        this.#parts.defect(`the network failed: ${String(error)}`);
        outgoing.destroy();
      });
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #carryWebhook(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { faultSchedule, log } = this.#parts;
    const body = await buffer(incoming);
    const fate = faultSchedule.webhookFate();
    const note = (result: string): void => log.add(`webhook ${nameOf(body)}: ${fate} ${result}`);
    switch (fate) {
      case 'request-lost':
        note('');
        outgoing.destroy();
        return;
      case 'gateway-error':
        note('');
        outgoing.writeHead(502).end();
        return;
      case 'swallowed': {
        // The chain view has no second source: its stream is never lost for good.
        const isChain = body.includes('"stream":"blockchain"');
        const status = isChain ? await this.#deliver(body) : 200;
        note(isChain ? String(status) : '');
        answer(outgoing, status);
        return;
      }
      case 'hangs':
        note('');
        // The core answers a replay only after its webhook: then the client's call hangs with it.
        if (this.#forwarding !== undefined) this.#giveUp(this.#forwarding);
        return;
      case 'truncated': {
        const status = await this.#deliver(body.subarray(0, Math.floor(body.length / 2)));
        note(String(status));
        answer(outgoing, status);
        return;
      }
      case 'twice-at-once': {
        const both = await Promise.all([this.#deliver(body), this.#deliver(body)]);
        note(both.join(' '));
        answer(outgoing, both[1]);
        return;
      }
      case 'response-lost':
        note(String(await this.#deliver(body)));
        outgoing.destroy();
        return;
      case 'passes': {
        const status = await this.#deliver(body);
        note(String(status));
        answer(outgoing, status);
        return;
      }
      default:
        fate satisfies never;
    }
  }

  async #deliver(body: Uint8Array): Promise<Delivered> {
    const status = (await this.#receiver?.deliver(body)) ?? DIED;
    if (status === DIED) return status;
    if (status >= 200 && status <= 299) this.#parts.acknowledged(body);
    else if (status !== 503 && status !== 400) {
      this.#parts.defect(`the product answered ${status} to ${nameOf(body)}`);
    }
    return status;
  }

  async #carryCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, name = ''] = (incoming.url ?? '').split('/');
    const caller = this.#receiver?.caller(name);
    // What a process sent before it died is lost; what it sent before it fell asleep goes on later.
    if (caller === undefined) return;
    await caller.awake();
    const answering = this.#answerTo(incoming, name);
    const done = answering.then(
      () => undefined,
      () => undefined,
    );
    this.#carried.add(done);
    const carried = await answering.finally(() => this.#carried.delete(done));
    if (carried === 'hangs') return;
    // A dead process gets no answer, lest it goes on; one that sleeps reads it later.
    await caller.awake();
    if (carried === 'lost') outgoing.destroy();
    else outgoing.writeHead(carried.status, carried.headers).end(carried.body);
  }

  /** Everything that a call sets going, and its answer. */
  async #answerTo(incoming: IncomingMessage, name: string): Promise<Carried | 'lost' | 'hangs'> {
    const { clock, faultSchedule, log, bustle } = this.#parts;
    const path = (incoming.url ?? '').slice(name.length + 1);
    const body = await buffer(incoming);
    const fate = faultSchedule.apiFate();
    const call = `${incoming.method ?? ''} ${decodeURIComponent(path)}`.replaceAll(
      this.#webhookOrigin,
      '',
    );
    if (fate === 'hangs') {
      log.add(`api ${call}: hangs`);
      this.#giveUp(name);
      return 'hangs';
    }
    const carried =
      fate === 'request-lost'
        ? undefined
        : await this.#forward(incoming, { name, path, body }).catch(() => null);
    if (fate !== 'request-lost' && this.#givenUp) return 'hangs';
    if (faultSchedule.bustles()) await bustle();
    await clock.advance(0);
    log.add(`api ${call}: ${fate} ${carried?.status ?? ''}`);
    return carried === undefined || carried === null || fate === 'response-lost' ? 'lost' : carried;
  }

  #giveUp(process: string): void {
    this.#givenUp = true;
    this.#rings.get(process)?.();
  }

  async #forward(
    incoming: IncomingMessage,
    sent: { readonly name: string; readonly path: string; readonly body: Buffer },
  ): Promise<Carried> {
    this.#forwarding = sent.name;
    this.#givenUp = false;
    try {
      return await this.#exchange(incoming, sent);
    } finally {
      this.#forwarding = undefined;
    }
  }

  async #exchange(
    incoming: IncomingMessage,
    { path, body }: { readonly path: string; readonly body: Buffer },
  ): Promise<Carried> {
    const { authorization, 'content-type': contentType } = incoming.headers;
    const answered = await request(`${this.#coreUrl}${path}`, {
      method: incoming.method ?? 'GET',
      dispatcher: this.#agent,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      body: body.length === 0 ? null : body,
    });
    const bytes = Buffer.from(await answered.body.arrayBuffer());
    const kept = ['content-type', 'retry-after', ...RATE_HEADERS];
    const headers: Record<string, string> = {};
    for (const name of kept) {
      const value = answered.headers[name];
      if (typeof value === 'string') headers[name] = value;
    }
    return { status: answered.statusCode, headers, body: bytes };
  }
}

interface Carried {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function answer(outgoing: ServerResponse, status: Delivered): void {
  if (status === DIED) outgoing.destroy();
  else outgoing.writeHead(status).end();
}

/** A webhook in a few words. */
function nameOf(body: Buffer | Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  const field = (name: string): string =>
    new RegExp(`"${name}":"?([^",}]*)`).exec(text)?.[1]?.slice(0, 13) ?? '';
  const names = ['stream', 'type', 'confirmations', 'network', 'blockchainHash', 'transactionId'];
  return `${field('id').slice(0, 8)} ${names.map(field).join(' ')}`;
}
