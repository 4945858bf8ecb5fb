import { serve } from '@hono/node-server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { ProductApi } from '../../../src/commands/demo/product-api.ts';
import { apiUnderTest, tokenOf, type ApiUnderTest } from '../../api/api-under-test.ts';
import { Service } from '../../store/webhook.ts';

/** The API of a store with one confirmed deposit, over HTTP. */
export async function servedProductApi(): Promise<{
  store: ApiUnderTest;
  service: Service;
  api: ProductApi;
}> {
  const store = await apiUnderTest();
  const service = new Service();
  await store.open.deliver(service.confirmed(6));
  const server = serve({ fetch: store.app.fetch, hostname: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const api = new ProductApi({ url: `http://127.0.0.1:${port}`, token: tokenOf('olga') });
  return { store, service, api };
}
