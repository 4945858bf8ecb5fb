import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../simulator/call.ts';
import { CoreProcess } from '../../simulator/core-process.ts';
import { OUTSIDE } from '../../simulator/outside-addresses.ts';

const WRITERS = 8;
/** Number of 2xx answers after which the power fails, each time on the same file. */
const CRASHES_AFTER = [40, 150, 301] as const;

/** The messages of `fetch` when the other side died before or during an answer. */
const LOST_CONNECTION = /(fetch failed|terminated)$/;

let core: CoreProcess;

beforeEach(async () => {
  core = await CoreProcess.startOnFile('--seed', '3', '--no-mine');
});

afterEach(() => core.remove());

/** A record whose creation was answered with 2xx, and the call that reads it. */
interface Promised {
  readonly path: string;
  readonly record: Json;
}

/** One writer repeats its calls until the core is killed. */
async function write(writer: string, onPromise: (promised: Promised) => void): Promise<void> {
  for (let round = 0; ; round += 1) {
    const name = `${writer} ${round}`;
    const vault = await core.sim('POST', '/sim/vaults', { name });
    const vaultId = String(vault['vaultId']);
    onPromise({ path: '/vaults?pageSize=1000', record: { vaultId, name } });
    const account = await core.made('/accounts', { vaultId, name, data: { round } });
    const accountId = String(account['accountId']);
    onPromise({ path: `/vaults/${vaultId}/accounts`, record: account });
    const address = await core.made('/addresses', { accountId, network: 'ripple' });
    onPromise({ path: `/accounts/${accountId}/addresses`, record: address });
    const memo = { addressId: address['addressId'], memo: String(round), name };
    await core.made('/memos', memo);
    const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', streams: ['incoming'] };
    const subscribed = await core.made(`/subscriptions/${vaultId}`, webhook);
    const [row] = subscribed['data'] as Json[];
    onPromise({ path: `/subscriptions/${vaultId}`, record: row ?? {} });
    const order = await core.made('/transactions', {
      orderId: name,
      vaultId,
      network: 'ripple',
      asset: 'ripple:XRP',
      amount: '1000000',
      destinationAddress: OUTSIDE.ripple,
    });
    const { transactionId, status } = order;
    onPromise({
      path: `/transactions/${String(transactionId)}`,
      record: { transactionId, status },
    });
  }
}

/** Writes from many clients at once and kills the core after this number of answers. */
async function writeUntilCrash(run: string, promisesMax: number): Promise<Promised[]> {
  const promised: Promised[] = [];
  let kill: Promise<void> | undefined;
  const onPromise = (promise: Promised): void => {
    promised.push(promise);
    if (promised.length >= promisesMax) kill ??= core.kill();
  };
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    write(`${run}.${index}`, onPromise),
  );
  const ends = await Promise.allSettled(writers);
  // No writer stopped for another reason than the crash.
  const reasons = ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'none'));
  for (const reason of reasons) expect(reason).toMatch(LOST_CONNECTION);
  await kill;
  return promised;
}

test('every change answered with 2xx survives kill -9', async () => {
  const promised: Promised[] = [];
  for (const [run, promisesMax] of CRASHES_AFTER.entries()) {
    promised.push(...(await writeUntilCrash(`run ${run}`, promisesMax)));
    await core.startAgain();
  }
  const read = new Map<string, Json>();
  for (const { path, record } of promised) {
    const body = read.get(path) ?? (await core.api('GET', path)).body;
    read.set(path, body);
    const rows = Array.isArray(body['data']) ? (body['data'] as Json[]) : [body];
    expect(rows).toContainEqual(expect.objectContaining(record));
  }
  expect(promised.length).toBeGreaterThanOrEqual(491);
});
