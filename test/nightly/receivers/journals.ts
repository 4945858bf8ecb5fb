import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CoreClient, CoreControl } from '../../../src/commands/demo/core-client.ts';
import type { PostgresCluster } from '../../postgres/cluster.ts';
import { ETH, type BreakRow, type FeedItem } from '../../e2e/attached.ts';
import { THREE_DEEP, type Daemon } from '../../e2e/daemon.ts';
import { eventually, freePort } from '../../e2e/program.ts';
import { CoreProcess } from '../../simulator/core-process.ts';
import { CustodyView } from '../../simulator/custody-view.ts';
import { newJournalUrl, receiverOf } from '../../e2e/receivers/receivers.ts';

export interface Credit extends FeedItem {
  readonly vaultId: string;
}

interface DepositRow {
  readonly blockchainHash: string;
  readonly vaultId: string;
  readonly state: string;
  readonly amount: string;
}

interface WithdrawalRow {
  readonly blockchainHash: string | null;
  readonly vaultId: string;
  readonly status: string | null;
}

/** A custody core whose vaults go to several journals. */
export class SharedCore {
  readonly url: string;
  readonly control: CoreControl;

  private constructor(url: string, control: CoreControl) {
    this.url = url;
    this.control = control;
  }

  static async start(): Promise<SharedCore> {
    const core = await CoreProcess.start('--no-mine');
    onTestFinished(() => core.remove());
    const { url, controlUrl } = core;
    return new SharedCore(url, new CoreControl(controlUrl));
  }

  client(name: string): Promise<CoreClient> {
    return CoreClient.create({ control: this.control, url: this.url, name });
  }

  async mine(): Promise<void> {
    await this.control.post('/sim/blocks', { network: 'ethereum', count: 3 });
  }
}

interface JournalOptions {
  readonly cluster: PostgresCluster;
  readonly core: SharedCore;
  readonly name: string;
  /** Vaults whose transactions its API client sees. */
  readonly sees: 'own vault' | 'every vault';
  /** Absent: an API client of its own. */
  readonly client?: CoreClient;
  /** Absent: its own vault. */
  readonly vaults?: 'all';
  /** Vaults that its policy credits; absent: every vault. */
  readonly credits?: 'own vault' | undefined;
}

interface Address {
  readonly addressId: string;
  readonly networkAddress: string;
}

type JournalParts = Pick<
  Journal,
  'client' | 'view' | 'daemon' | 'store' | 'webhookUrl' | 'vaultId' | 'address'
> & { readonly core: SharedCore };

/** One of several journals: a schema, a receiver, a webhook URL and a vault of its own. */
export class Journal {
  readonly client: CoreClient;
  readonly view: CustodyView;
  readonly daemon: Daemon;
  /** The address of the journal's schema. */
  readonly store: string;
  readonly webhookUrl: string;
  readonly vaultId: string;
  readonly address: Address;
  readonly #core: SharedCore;

  private constructor(parts: JournalParts) {
    this.client = parts.client;
    this.view = parts.view;
    this.daemon = parts.daemon;
    this.store = parts.store;
    this.webhookUrl = parts.webhookUrl;
    this.vaultId = parts.vaultId;
    this.address = parts.address;
    this.#core = parts.core;
  }

  static async start(options: JournalOptions): Promise<Journal> {
    const { cluster, core, name, sees } = options;
    const client = options.client ?? (await core.client(name));
    const vault = await core.control.post('/sim/vaults', { name });
    const { vaultId } = vault as { vaultId: string };
    const made = await core.control.post('/sim/addresses', { vaultId, network: 'ethereum' });
    const address = made as Address;
    const view = await CustodyView.of(core.url, sees === 'own vault' ? vaultId : null);
    const store = await newJournalUrl(cluster);
    const port = await freePort();
    let webhookUrl = '';
    const custody = ({ folder, hookPath }: { folder: string; hookPath: string }): object => {
      webhookUrl = `http://127.0.0.1:${port}${hookPath}`;
      const privateKeyFile = join(folder, 'custody.key');
      writeFileSync(privateKeyFile, client.privateKeyPem, { mode: 0o600 });
      const vaults = options.vaults ?? [vaultId];
      return { baseUrl: view.url, clientId: client.clientId, privateKeyFile, webhookUrl, vaults };
    };
    const crediting =
      options.credits === undefined ? THREE_DEEP : { ...THREE_DEEP, vaults: [vaultId] };
    const receiver = await receiverOf(store, name, {}, { port, custody, crediting });
    await receiver.start();
    await receiver.becomes('owner');
    const { daemon } = receiver;
    const parts = { core, client, view, daemon, store, webhookUrl, vaultId, address };
    const journal = new Journal(parts);
    await journal.subscribeTo(webhookUrl);
    return journal;
  }

  /** Sends the webhooks of this journal's vault to a URL. */
  async subscribeTo(webhookUrl: string): Promise<void> {
    const streams = ['outgoing', 'incoming', 'blockchain'];
    await this.client.post(`/subscriptions/${this.vaultId}`, { webhookUrl, streams });
  }

  /** Pays the vault from outside, and mines the payment; answers its hash. */
  async pay(amount: string): Promise<string> {
    const { addressId } = this.address;
    const body = { network: 'ethereum', addressId, asset: ETH, amount };
    const paid = (await this.#core.control.post('/sim/deposits', body)) as FeedItem;
    await this.#core.mine();
    return paid.blockchainHash;
  }

  /** Orders a payment of this vault to an address, and mines it; answers its hash. */
  async send(amount: string, destinationAddress: string): Promise<string> {
    const { vaultId, client } = this;
    const { addressId } = this.address;
    const order = { orderId: 'order-1', vaultId, addressId, network: 'ethereum', asset: ETH };
    const made = { ...order, amount, destinationAddress };
    const { transactionId } = (await client.post('/transactions', made)) as {
      transactionId: string;
    };
    const hash = await eventually('the transfer has a hash', async () => {
      const shown = await this.#core.control.get(`/sim/transactions/${transactionId}`);
      return /"blockchainHash":"(0x[0-9a-f]+)"/.exec(JSON.stringify(shown))?.[1];
    });
    await this.#core.mine();
    return hash;
  }

  async feed(): Promise<readonly Credit[]> {
    return (await this.daemon.get<{ data: Credit[] }>('/v1/credits?after=0')).data;
  }

  async deposits(): Promise<readonly DepositRow[]> {
    return (await this.daemon.get<{ data: DepositRow[] }>('/v1/deposits')).data;
  }

  async withdrawals(): Promise<readonly WithdrawalRow[]> {
    return (await this.daemon.get<{ data: WithdrawalRow[] }>('/v1/withdrawals')).data;
  }

  async breaks(): Promise<readonly BreakRow[]> {
    return (await this.daemon.get<{ data: BreakRow[] }>('/v1/breaks?state=open')).data;
  }

  /** How many requests the journal's schema counts. */
  async counted(cluster: PostgresCluster): Promise<number | undefined> {
    const schema = new URL(this.store).searchParams.get('schema');
    const counted = `SELECT count(*)::int AS requests FROM ${schema}.custody_requests`;
    return (await cluster.sql<{ requests: number }>(counted))[0]?.requests;
  }

  /** Runs so often that replays, backfills and look-ups have ended. */
  async reconcile(): Promise<void> {
    for (let run = 0; run < 3; run += 1) await this.daemon.post('/v1/reconciliations');
  }

  /** The credit of a hash, once the feed has it. */
  untilCredited(hash: string): Promise<Credit> {
    return this.#until(`a credit of ${hash}`, async () =>
      (await this.feed()).find(({ blockchainHash }) => blockchainHash === hash),
    );
  }

  /** Resolves when the books hold a mined withdrawal of a hash. */
  async untilMined(hash: string): Promise<void> {
    await this.#until(`a mined withdrawal of ${hash}`, async () =>
      (await this.withdrawals()).find(
        ({ blockchainHash, status }) => blockchainHash === hash && status === 'mined',
      ),
    );
  }

  /** Resolves when the books hold a deposit of a hash in a state. */
  async untilDeposit(hash: string, state: string): Promise<void> {
    await this.#until(`a deposit of ${hash} that is ${state}`, async () =>
      (await this.deposits()).find((one) => one.blockchainHash === hash && one.state === state),
    );
  }

  /** The row that `find` finds, with a run before each look. */
  #until<Row>(what: string, find: () => Promise<Row | undefined>): Promise<Row> {
    return eventually(what, async () => {
      await this.daemon.post('/v1/reconciliations');
      return find();
    });
  }
}

/** Two journals of one custody core and one primary. */
export async function twoJournals(
  cluster: PostgresCluster,
  sees: JournalOptions['sees'],
  credits?: JournalOptions['credits'],
): Promise<readonly [Journal, Journal]> {
  const core = await SharedCore.start();
  return Promise.all([
    Journal.start({ cluster, core, name: 'one', sees, credits }),
    Journal.start({ cluster, core, name: 'two', sees, credits }),
  ]);
}
