import { network } from '../../../wire/network.ts';
import type { NetworkInfo } from '../../world/on-chain.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { listOf, named } from '../schema.ts';
import type { Services } from '../services.ts';

const networkList: ListDefinition<NetworkInfo> = {
  sorts: { key: (row) => row.key, name: (row) => row.name },
  filters: { key: (row) => row.key },
  search: (row) => [row.key, row.name],
};

/**
 * `GET /networks`: the networks with the depths of their confirmation events (the specification,
 * section "Other endpoints referenced").
 */
export function networkEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/networks',
      operation: 'listNetworks',
      summary: 'List networks with their published confirmation depths',
      tag: 'Networks',
      credentials: 'api',
      query: listQuerySchema(networkList),
      answer: listOf(named('Network', network)),
      handle: ({ query, view }) =>
        listAnswer({
          rows: world.networks(),
          query,
          definition: networkList,
          view,
        }),
    }),
  ];
}
