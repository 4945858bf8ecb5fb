import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A custody API with nothing but a transactions list, on a thread of its own so that its work is not
 * measured as ours: `deposits` incoming rows, each confirmed, and after every hundredth an outgoing
 * one. Sorted newest first as it is asked to be, and filtered by type.
 */
const SERVICE = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const { deposits, newestAt } = workerData;
const at = (index) => new Date(newestAt - index).toISOString();
const incoming = (index) => ({
  transactionId: 'tx-' + index, vaultId: 'v' + (index % 50), type: 'incoming', status: 'confirmed',
  orderId: null, network: 'ethereum', accountId: 'acc-' + (index % 50), addressId: 'adr-' + index,
  destinationAddress: null, memo: null, blockchainHash: '0x' + index, confirmations: 12,
  balanceChanges: [{ asset: 'ethereum:ETH', amount: String(1000 + index), tags: [],
    address: { id: 'adr-' + index }, account: { id: 'acc-' + (index % 50) } }],
  createdAt: at(index), updatedAt: at(index),
});
const outgoing = (index) => ({
  transactionId: 'own-' + index, vaultId: 'v0', type: 'outgoing', status: 'cancelled', orderId: 'o' + index,
  network: 'ethereum', createdAt: at(index), updatedAt: at(index),
});
const rows = { incoming: [], outgoing: [], all: [] };
for (let index = 0; index < deposits; index += 1) {
  rows.incoming.push(incoming(index));
  if (index % 100 === 0) rows.outgoing.push(outgoing(index));
}
rows.all = [...rows.incoming, ...rows.outgoing].sort((one, two) => two.updatedAt < one.updatedAt ? -1 : two.updatedAt > one.updatedAt ? 1 : 0);
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (!url.pathname.endsWith('/transactions')) return response.writeHead(404).end();
  const page = Number(url.searchParams.get('page') ?? 0);
  const pageSize = Number(url.searchParams.get('pageSize') ?? 100);
  const list = rows[url.searchParams.get('filter[type]') ?? 'all'];
  const data = list.slice(page * pageSize, (page + 1) * pageSize);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data, pagination: { page, pageSize, total: list.length } }));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** The server while it listens, and how it ends. */
export interface CustodyListServer {
  readonly url: string;
  end(): Promise<void>;
}

/** Starts it. Row `index` was updated `index` ms before `newestAt`. */
export async function startCustodyListServer(options: {
  deposits: number;
  newestAt: number;
}): Promise<CustodyListServer> {
  const worker = new Worker(SERVICE, { eval: true, workerData: options });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      await worker.terminate();
    },
  };
}

/** The webhook of a row’s deposit: a confirmation at full depth. */
export function webhookOfRow(index: number): object {
  return {
    id: `n-${index}`,
    timestamp: 1,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: `v${index % 50}`,
    accountId: `acc-${index % 50}`,
    addressId: `adr-${index}`,
    network: 'ethereum',
    blockchainHash: `0x${index}`,
    transactionId: `tx-${index}`,
    confirmations: 12,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: String(1000 + index), tags: [] }],
  };
}
