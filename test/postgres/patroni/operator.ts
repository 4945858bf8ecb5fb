import { join } from 'node:path';
import { Reader } from '../../docs/reading/reader.ts';
import { receiverOf, type RealReceiver } from '../../e2e/receivers/receivers.ts';
import { PASSWORD, PatroniCluster } from './cluster.ts';
import { TWO_MACHINES, type Database } from './example.ts';

/** Where the guide keeps the authority of the databases' certificates. */
const AUTHORITY = '/etc/counterfoil/database-ca.pem';

/** Someone who sets up the machines of the guide, and types its commands. */
export class Operator {
  readonly cluster: PatroniCluster;
  readonly #reader: Reader;

  private constructor(reader: Reader, cluster: PatroniCluster) {
    this.#reader = reader;
    this.cluster = cluster;
  }

  /** Makes certificates, cluster and journal as the guide says; throws if a command fails. */
  static async start(): Promise<Operator> {
    const reader = await Reader.create({ PGPASSWORD: PASSWORD });
    let cluster: PatroniCluster | undefined;
    try {
      await type(reader, 'openssl req', [
        ['db1:10.0.0.11 db2:10.0.0.12', 'db1:127.0.0.1 db2:127.0.0.1'],
      ]);
      cluster = await PatroniCluster.start(reader.folder);
      const operator = new Operator(reader, cluster);
      await operator.type('psql ');
      return operator;
    } catch (error) {
      await cluster?.stop();
      reader.leave();
      throw error;
    }
  }

  async leave(): Promise<void> {
    await this.cluster.stop();
    this.#reader.leave();
  }

  /** Types the block of the guide that begins so; throws unless it does what the guide shows. */
  async type(begins: string): Promise<void> {
    const ports = this.#ports.join(',');
    await type(this.#reader, begins, [
      ['host=10.0.0.11,10.0.0.12 ', `host=127.0.0.1,127.0.0.1 port=${ports} `],
      ['10.0.0.11,10.0.0.12', this.#hosts],
      // The default is no TLS on loopback.
      ['?sslrootcert', '?sslmode=verify-full&sslrootcert'],
      [AUTHORITY, this.#authority],
      ["PASSWORD '…'", `PASSWORD '${PASSWORD}'`],
    ]);
  }

  /** Two running receivers of the journal, gone when the test ends. */
  async receivers(): Promise<RealReceiver[]> {
    const store = `postgres://counterfoil:${PASSWORD}@${this.#hosts}/books?sslmode=verify-full&sslrootcert=${this.#authority}`;
    const names = ['a', 'b'];
    return Promise.all(
      names.map(async (name) => {
        const receiver = await receiverOf(store, name, { standby: 'required' });
        await receiver.start();
        return receiver;
      }),
    );
  }

  /** The primary and its standby, by name. */
  async servers(): Promise<{ readonly primary: Database; readonly standby: Database }> {
    const primary = await this.cluster.primary();
    const standby = await this.cluster.standby();
    if (primary === undefined || standby === undefined) throw new Error('a server is missing');
    return { primary, standby };
  }

  get #ports(): number[] {
    return (['db1', 'db2'] as const).map((name) => this.cluster.databasePort(name));
  }

  get #hosts(): string {
    return this.#ports.map((port) => `127.0.0.1:${port}`).join(',');
  }

  get #authority(): string {
    return join(this.#reader.folder, 'database-ca.pem');
  }
}

async function type(
  reader: Reader,
  begins: string,
  swaps: readonly (readonly [string, string])[],
): Promise<void> {
  let isTyped = false;
  const isLeftOut = ({ text }: { readonly text: string }): boolean => {
    isTyped ||= text.startsWith(begins);
    return !text.startsWith(begins);
  };
  const otherwise = await reader.follow(TWO_MACHINES, { isLeftOut, swaps });
  if (!isTyped) otherwise.push(`${TWO_MACHINES.path} has no block ${begins}`);
  if (otherwise.length > 0) throw new Error(otherwise.join('\n'));
}
