import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CoreClient, CoreControl } from '../../src/commands/demo/core-client.ts';
import { CoreProcess } from '../simulator/core-process.ts';
import { Daemon } from './daemon.ts';
import { eventually, freePort } from './program.ts';

interface DepositRow {
  readonly depositId: string;
  readonly state: string;
  readonly transactionId: string;
}

export interface FeedItem {
  readonly seq: number;
  readonly creditId: string;
  readonly kind: string;
  readonly amount: string;
  readonly blockchainHash: string;
}

export interface BreakRow {
  readonly type: string;
  readonly severity: string;
  readonly blockchainHash: string | null;
}

export const ETH = 'ethereum:ETH';

/** Both programs, as users run them, with one vault between them whose webhooks go to the daemon. */
export class Attached {
  readonly daemon: Daemon;
  readonly control: CoreControl;
  readonly depositAddress: {
    readonly vaultId: string;
    readonly accountId: string;
    readonly addressId: string;
  };

  private constructor(parts: Pick<Attached, 'daemon' | 'control' | 'depositAddress'>) {
    this.daemon = parts.daemon;
    this.control = parts.control;
    this.depositAddress = parts.depositAddress;
  }

  static async start(): Promise<Attached> {
    const core = await CoreProcess.start('--no-mine');
    onTestFinished(() => core.remove());
    const { url, controlUrl } = core;
    const control = new CoreControl(controlUrl);
    const client = await CoreClient.create({ control, url, name: 'e2e' });
    const port = await freePort();
    let webhookUrl = '';
    const daemon = await Daemon.start({
      port,
      custody: ({ folder, hookPath }) => {
        webhookUrl = `http://127.0.0.1:${port}${hookPath}`;
        writeFileSync(join(folder, 'custody.key'), client.privateKeyPem, { mode: 0o600 });
        const { clientId } = client;
        const privateKeyFile = 'custody.key';
        return { baseUrl: url, clientId, privateKeyFile, webhookUrl, vaults: 'all' };
      },
    });
    const made = async (path: string, body: unknown): Promise<Record<string, string>> =>
      (await client.post(path, body)) as Record<string, string>;
    const vault = (await control.post('/sim/vaults', { name: 'v' })) as { vaultId: string };
    const { vaultId } = vault;
    const streams = ['outgoing', 'incoming', 'blockchain'];
    await client.post(`/subscriptions/${vaultId}`, { webhookUrl, streams });
    const { accountId = '' } = await made('/accounts', { vaultId, name: 'a' });
    const { addressId = '' } = await made('/addresses', { accountId, network: 'ethereum' });
    return new Attached({ daemon, control, depositAddress: { vaultId, accountId, addressId } });
  }

  /** Pays the vault, mines until the payment is three deep, and waits for the daemon. */
  async deposit(amount: string): Promise<string> {
    const { addressId } = this.depositAddress;
    const body = { network: 'ethereum', addressId, asset: ETH, amount };
    const paid = (await this.control.post('/sim/deposits', body)) as { blockchainHash: string };
    await this.control.post('/sim/blocks', { network: 'ethereum', count: 3 });
    const hash = paid.blockchainHash;
    await this.untilState(hash, ['verifying', 'credited']);
    return hash;
  }

  /** The deposit of a hash, once it is in one of these states. */
  untilState(hash: string, states: readonly string[]): Promise<DepositRow> {
    return eventually(`${hash} ${states.join(' or ')}`, async () => {
      const list = await this.daemon.get<{ data: DepositRow[] }>(
        `/v1/deposits?blockchainHash=${hash}`,
      );
      return list.data.find(({ state }) => states.includes(state));
    });
  }

  reconcile(): Promise<Record<string, unknown>> {
    return this.daemon.post('/v1/reconciliations');
  }

  async feed(after = 0): Promise<readonly FeedItem[]> {
    return (await this.daemon.get<{ data: FeedItem[] }>(`/v1/credits?after=${after}`)).data;
  }

  async openBreaks(): Promise<readonly BreakRow[]> {
    return (await this.daemon.get<{ data: BreakRow[] }>('/v1/breaks?state=open')).data;
  }
}
