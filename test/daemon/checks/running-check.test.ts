import { expect, test } from 'vitest';
import { problem } from '../../../src/daemon/checks/diagnosis.ts';
import { checkRunning, type Running } from '../../../src/daemon/checks/running-check.ts';
import { configFolder, MINIMAL, TOKEN } from '../../ops/config/config-folder.ts';

const { configOf } = configFolder();

const CUSTODY = {
  baseUrl: 'https://custody.example.com',
  clientId: 'client-1',
  privateKeyFile: 'keys/custody.pem',
  webhookUrl: `https://hooks.example.com/hooks/${TOKEN}`,
  vaults: 'all',
};
const NOTICE = 'The custody API has refused our key (401). Attach the public key.';
const EMPTY: Running['reads'] = {
  newestRecordedAt: async () => null,
  lastClose: async () => undefined,
  policy: async () => undefined,
  exemptions: async () => ({ rules: [], configuredAt: null }),
};

const DUST = {
  rule: 'dust',
  vaultId: 'v1',
  until: 2_000,
  reason: 'ticket 1',
  owner: 'finance',
  added: { by: 'olga', at: 500 },
};

const CALM: Omit<Running, 'config'> = {
  reads: EMPTY,
  now: 1_000,
  isWritable: true,
  access: 'unknown',
  notices: [],
  warnings: async () => [],
  others: async () => [],
};

async function findings(more: Partial<Running>): Promise<string[]> {
  const found = await checkRunning({ ...CALM, config: configOf(MINIMAL), ...more });
  return found.map(({ status, check }) => `${status} ${check}`);
}

test('a daemon without a custody API and without tokens is warned of both', async () => {
  expect(await findings({})).toEqual(
    expect.arrayContaining([
      'ok store',
      'warning API tokens',
      'ok crediting policy',
      'warning custody API',
    ]),
  );
});

test('a policy without a warning: the page says which networks it looked at', async () => {
  const found = await checkRunning({ ...CALM, config: configOf(MINIMAL) });
  expect(found).toContainEqual({
    status: 'ok',
    check: 'crediting policy',
    detail: 'no name looks misspelt, and no depth looks out of reach on a network in use',
  });
});

test.for<[string, Partial<Running>, string]>([
  ['a store that accepts no writes', { isWritable: false }, 'problem store'],
  [
    'a fact from the future',
    { reads: { ...EMPTY, newestRecordedAt: async () => 10_000_000 } },
    'warning clock',
  ],
  [
    'a refused key',
    { config: configOf({ ...MINIMAL, custody: CUSTODY }), notices: [NOTICE] },
    'problem custody API',
  ],
  [
    'a webhook URL of another token',
    {
      config: configOf({
        ...MINIMAL,
        custody: { ...CUSTODY, webhookUrl: 'https://hooks.example.com/hooks/other' },
      }),
    },
    'warning webhook URL',
  ],
  [
    'a provider that does not answer',
    { others: async () => [problem('sign-in provider', 'it did not answer')] },
    'problem sign-in provider',
  ],
  [
    'a rule of a person that ends soon',
    { reads: { ...EMPTY, exemptions: async () => ({ rules: [DUST], configuredAt: null }) } },
    'warning exemption "dust"',
  ],
])('%s is found', async ([, more, finding]) => {
  expect(await findings(more)).toContain(finding);
});

test.for([
  ['granted', 'it accepts our key'],
  ['unknown', 'it was not asked yet'],
] as const)('a custody API whose access is %s: %s', async ([access, detail]) => {
  const found = await checkRunning({
    ...CALM,
    config: configOf({ ...MINIMAL, custody: CUSTODY }),
    access,
  });
  expect(found).toContainEqual({ status: 'ok', check: 'custody API', detail });
});
