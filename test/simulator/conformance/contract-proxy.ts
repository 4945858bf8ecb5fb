import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { Contract, Exchange } from './contract.ts';

/**
 * A proxy before the core. Every call of the suite passes through it and is checked against the
 * OpenAPI document.
 */
export interface ContractProxy {
  readonly url: string;
  /** Violations so far, one line each. */
  readonly violations: string[];
  /** `METHOD /path` of every documented operation that has succeeded. */
  readonly succeeded: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts a proxy before `target` (a base URL) on a free loopback port. */
export async function startContractProxy(
  target: string,
  contract: Contract,
): Promise<ContractProxy> {
  const violations: string[] = [];
  const succeeded = new Set<string>();
  const judge = (exchange: Exchange): void => {
    violations.push(...contract.violationsOf(exchange));
    const operation = contract.operationOf(exchange);
    if (operation !== undefined && exchange.status < 400) succeeded.add(operation);
  };
  const server = createServer((incoming, outgoing) => {
    carry(target, incoming, outgoing)
      .then(judge)
      // The core has closed the connection (a fault), so the proxy closes it too and checks
      // nothing.
      .catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    violations,
    succeeded,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function carry(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Exchange> {
  const method = incoming.method ?? '';
  const path = incoming.url ?? '';
  const requestBody = await buffer(incoming);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    forward(`${target}${path}`, { method, headers }, resolve).on('error', reject).end(requestBody);
  });
  const responseBody = await buffer(answer);
  const status = answer.statusCode ?? 0;
  const exchange: Exchange = {
    method,
    target: path,
    requestBody: requestBody.toString(),
    status,
    contentType: answer.headers['content-type'],
    responseBody: responseBody.toString(),
  };
  const { 'transfer-encoding': _chunked, connection: _kept, ...headers } = answer.headers;
  outgoing.writeHead(status, headers).end(responseBody);
  return exchange;
}
