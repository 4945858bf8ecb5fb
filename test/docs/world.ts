import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../e2e/program.ts';
import { CERTIFICATE } from '../ops/certificate.ts';
import { OpenLedger, SIX_DEEP } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';
import { isUntested } from './untested-blocks.ts';
import { readPage } from './reading/page.ts';
import type { Reader } from './reading/reader.ts';

export const TUTORIAL = 'docs/tutorials/credit-your-first-deposit.md';

const DAY_MS = 86_400_000;

type Answer = Readonly<Record<string, string>>;

/** What the tutorial leaves behind: core, daemon, configuration and one credited deposit. */
export class World {
  readonly reader: Reader;

  constructor(reader: Reader) {
    this.reader = reader;
  }

  /** Follows the tutorial; answers where the output differs from the page. */
  async begin(): Promise<string[]> {
    const page = readPage(TUTORIAL);
    return this.reader.follow(page, { isLeftOut: (block) => isUntested(page, block) });
  }

  /** Adds what the how-to pages are about: held deposits, and bodies that are no notifications. */
  async addProblems(): Promise<void> {
    const { data } = await this.#get<{ data: { vaultId: string }[] }>('/v1/deposits?pageSize=1');
    const vaultId = data[0]?.vaultId;
    const [ripple, ethereum] = [
      await this.#simulate('addresses', { vaultId, network: 'ripple' }),
      await this.#simulate('addresses', { vaultId, network: 'ethereum' }),
    ];
    const paid = { network: 'ripple', addressId: ripple['addressId'], asset: 'ripple:XRP' };
    await this.#simulate('deposits', { ...paid, amount: '31000000', memo: '404' });
    await this.#simulate('deposits', {
      network: 'ethereum',
      addressId: ethereum['addressId'],
      asset: 'ethereum:ETH',
      amount: '150000000000000000000',
    });
    await this.#simulate('blocks', { network: 'ripple', count: 1 });
    await this.#simulate('blocks', { network: 'ethereum', count: 12 });
    const small = { network: 'ethereum', addressId: ethereum['addressId'], asset: 'ethereum:ETH' };
    await this.#simulate('deposits', { ...small, amount: '1000000000000000000' });
    await this.#simulate('blocks', { network: 'ethereum', count: 3 });
    const hook = `${this.#url}/hooks/${this.reader.read('secrets/hooks.token').trim()}`;
    for (const body of ['no JSON', '{"id":"ntf-odd","stream":"unheard"}']) {
      await fetch(hook, { method: 'POST', body });
    }
    this.reader.save('client.pem', CERTIFICATE);
    await eventually('two deposits are held', async () => {
      const held = await this.#get<{ data: { reason: string }[] }>('/v1/deposits?state=held');
      const reasons = held.data.map(({ reason }) => reason).toSorted();
      return reasons.join() === 'approval_required,unattributed_memo' ? true : undefined;
    });
  }

  /** Lets the daemon forget its requests: tests read many pages within a minute. */
  forgetRequests(): void {
    this.#systemctl('stop');
    const data = join(this.reader.folder, 'data');
    for (const name of readdirSync(data).filter((file) => file.includes('.requests'))) {
      rmSync(join(data, name));
    }
    this.#systemctl('start');
  }

  /** The same daemon over a store that is two days old, with the days closed. */
  async age(): Promise<void> {
    this.#systemctl('stop');
    const data = join(this.reader.folder, 'data');
    rmSync(data, { recursive: true });
    mkdirSync(data);
    const open = new OpenLedger(join(data, 'counterfoil.db'));
    open.at = Date.now() - 2 * DAY_MS;
    await open.setPolicy(SIX_DEEP);
    await open.deliver(new Service().confirmed(6));
    open.close();
    this.#systemctl('start');
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    await this.#post(`/v1/reports/daily/${yesterday}/close`);
  }

  get #url(): string {
    return `http://127.0.0.1:${this.reader.port}`;
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.reader.read('secrets/root.token').trim()}` };
  }

  #systemctl(verb: string): void {
    this.reader.call('systemctl', verb, 'counterfoil');
  }

  async #get<Body>(path: string): Promise<Body> {
    const answer = await fetch(`${this.#url}${path}`, { headers: this.#headers });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
    return (await answer.json()) as Body;
  }

  async #post(path: string): Promise<void> {
    const answer = await fetch(`${this.#url}${path}`, { method: 'POST', headers: this.#headers });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status}`);
  }

  async #simulate(call: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(this.reader.simulation(call), request);
    if (!answer.ok) throw new Error(`${call}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
