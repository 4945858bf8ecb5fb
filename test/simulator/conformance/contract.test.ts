import { Validator } from '@seriousme/openapi-schema-validator';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { send } from '../call.ts';
import { startContractProxy } from './contract-proxy.ts';
import { covers } from './coverage.ts';
import { refusalOf } from './error-body.ts';
import { ROWS } from './rows.ts';
import { setStage } from './stage.ts';

const stage = setStage('contract');

const document = async () => (await send(`${stage.core.url}/openapi.json`, 'GET')).body;

test(
  'the core publishes a valid OpenAPI 3.1 document',
  covers('contract/document-is-openapi-3.1'),
  async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(await document());
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  },
);

test(
  'the document holds every endpoint of the specification',
  covers('contract/document-holds-every-endpoint'),
  () => {
    const anyName = (operation: string) => operation.replaceAll(/\{\w+\}/g, '{}');
    const documented = stage.contract.operations().map(anyName);
    const specified = Object.keys(ROWS.endpoints)
      .filter((row) => row.includes(' /'))
      .map((row) => anyName(row.replace(' /', ' /api/v1/')));
    expect(specified).toHaveLength(27);
    const missing = specified.filter((operation) => !documented.includes(operation));
    expect(missing).toEqual([]);
  },
);

test(
  'the version is part of the path: other prefixes are not found',
  covers('contract/version-in-path'),
  async () => {
    const { token } = await stage.client();
    expect((await stage.anyone('GET', '/networks', { token })).status).toBe(200);
    for (const path of ['/networks', '/api/networks', '/api/v2/networks', '/api/v1networks']) {
      const answer = await send(`${stage.proxy.url}${path}`, 'GET', { token });
      expect(refusalOf(answer)).toBe(`404 NE-1 GET ${path}`);
    }
    expect(stage.contract.operations().filter((each) => !each.includes(' /api/v1/'))).toEqual([]);
  },
);

test(
  'tags are open strings in the document: new ones may be added',
  covers('contract/tags-are-open'),
  () => {
    const time = '2026-01-01T00:00:00.000Z';
    const transaction = {
      transactionId: 't',
      vaultId: 'v',
      type: 'outgoing',
      status: 'mined',
      network: 'n',
      createdAt: time,
      updatedAt: time,
    };
    const judge = (tags: unknown) => {
      const balanceChanges = [{ asset: 'a', amount: '-1', tags }];
      return stage.contract.violationsOf({
        method: 'GET',
        target: '/api/v1/transactions/t',
        requestBody: '',
        status: 200,
        contentType: 'application/json',
        responseBody: JSON.stringify({
          ...transaction,
          balanceChanges,
        }),
      });
    };
    expect(judge(['fee', 'a-tag-of-tomorrow'])).toEqual([]);
    expect(judge([1])).not.toEqual([]);
  },
);

/** A service with one answer to every call, behind a proxy that knows the core's document. */
async function judged(answer: { status: number; body: unknown; type?: string }): Promise<string[]> {
  const server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const proxy = await startContractProxy(`http://127.0.0.1:${port}`, stage.contract);
  await fetch(`${proxy.url}/api/v1/networks`);
  await fetch(`${proxy.url}/api/v1/accounts`, { method: 'POST', body: '{"name":"x"}' });
  await proxy.close();
  server.close();
  return proxy.violations;
}

const ERROR = {
  statusCode: 404,
  errorCode: 'NE-1',
  errorMessage: 'm',
  timestamp: 't',
  endpoint: 'e',
};
const LIST = { data: [], pagination: { page: 0, pageSize: 100, total: 0 } };

test(
  'the proxy notices what breaks the document, and nothing else',
  covers('contract/violations-are-noticed'),
  async () => {
    expect(await judged({ status: 404, body: ERROR })).toEqual([]);
    const row = { key: 'x', confirmations: ['1'] };
    const broken = [
      ...(await judged({ status: 200, body: { ...LIST, data: [row] } })),
      ...(await judged({ status: 404, body: { ...ERROR, errorCode: 'NO-1' } })),
      ...(await judged({ status: 404, body: { ...ERROR, endpoint: undefined } })),
      ...(await judged({ status: 418, body: ERROR, type: 'text/plain' })),
      ...(await judged({ status: 302, body: '' })),
      ...(await judged({ status: 500, body: '<html>' })),
    ];
    expect(broken.filter((line) => line.startsWith('GET'))).toEqual([
      'GET /api/v1/networks 200: body/data/0/confirmations/0 must be integer',
      'GET /api/v1/networks 404: body/errorCode must be equal to one of the allowed values',
      "GET /api/v1/networks 404: body must have required property 'endpoint'",
      'GET /api/v1/networks 418: content type text/plain',
      'GET /api/v1/networks 302: status 302 is not documented',
      'GET /api/v1/networks 500: body is not JSON: <html>',
    ]);
    expect(broken).toContain(
      "POST /api/v1/accounts 200: accepted request body must have required property 'vaultId'",
    );
  },
);

test('an undocumented operation may only be answered by a 404 with an error body', () => {
  const exchange = { method: 'GET', requestBody: '', contentType: 'application/json' };
  const judge = (target: string, status: number, responseBody: string) =>
    stage.contract.violationsOf({ ...exchange, target, status, responseBody });
  expect(judge('/api/v1/nothing', 404, JSON.stringify(ERROR))).toEqual([]);
  expect(judge('/api/v1/nothing', 200, '{}')).toEqual([
    'GET /api/v1/nothing 200: the document has no such operation',
  ]);
  expect(judge('/api/v1/networks?colour=red', 200, JSON.stringify(LIST))).toEqual([
    'GET /api/v1/networks?colour=red 200: query parameter colour is not documented',
  ]);
});
