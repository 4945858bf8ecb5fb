import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * A fixed address in front of a daemon that listens on a port of its own choice. It can be cut, as a
 * network can.
 */
export class Relay {
  /** The port behind; null: every connection is refused. */
  port: number | null = null;
  /** Changes what arrives at the port behind, as another program might send it. */
  rewrite: (chunk: Buffer) => Buffer = (chunk) => chunk;
  /** How much later each direction's bytes arrive, milliseconds. */
  delayMs = 0;
  readonly #sockets = new Set<Socket>();
  #isHeld = false;
  readonly #server = createServer((socket) => this.#carry(socket));

  static async listen(): Promise<Relay> {
    const relay = new Relay();
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    onTestFinished(() => {
      relay.cut();
      relay.#server.close();
    });
    return relay;
  }

  /** The port in front. */
  get ownPort(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.ownPort}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Ends all connections and takes no more. */
  cut(): void {
    this.port = null;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Carries nothing any more, and leaves all connections open. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Carries on; what was under way arrives now. */
  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #carry(from: Socket): void {
    if (this.port === null) {
      from.destroy();
      return;
    }
    const to = connect(this.port, '127.0.0.1');
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.on('end', () => other.end());
    }
    from.on('data', (chunk: Buffer) => this.#send(to, this.rewrite(chunk)));
    to.on('data', (chunk: Buffer) => this.#send(from, chunk));
    if (this.#isHeld) for (const socket of [from, to]) socket.pause();
  }
  /** Timers of one delay fire in the order in which they were set. */
  #send(to: Socket, chunk: Buffer): void {
    const write = (): void => {
      if (!to.destroyed) to.write(chunk);
    };
    if (this.delayMs === 0) write();
    else setTimeout(write, this.delayMs);
  }
}
