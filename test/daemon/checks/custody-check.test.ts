import { expect, test } from 'vitest';
import { NO_POLICY } from '../../../src/domain/policy/policy.ts';
import {
  checkCredited,
  checkCustody,
  checkOthers,
} from '../../../src/daemon/checks/custody-check.ts';
import { Stage } from '../../reconcile/stage.ts';
import { CUSTODY } from '../custody/custody-config.ts';

test.for([
  [1, 'v1, which'],
  [5, 'v1, v2, v3, v4, v5, which'],
  [7, 'v1, v2, v3, v4, v5 and 2 more, which'],
] as const)(
  'of %d vaults that custody.vaults leaves out, the doctor names %s',
  ([count, named]) => {
    const others = Array.from({ length: count }, (_, index) => `v${index + 1}`);
    const [said] = checkOthers(others, NO_POLICY);
    expect(said).toMatchObject({ check: 'vaults', status: 'warning' });
    expect(said?.detail).toContain(`this API client also sees ${named}`);
  },
);

test('without such vaults the doctor says nothing of them', () => {
  expect(checkOthers([], NO_POLICY)).toEqual([]);
});

test('vaults that the policy does not credit are no warning', () => {
  const said = checkOthers(['v2', 'v3'], { ...NO_POLICY, vaults: ['v1'] });
  expect(said).toMatchObject([{ check: 'vaults', status: 'ok' }]);
  const [warned] = checkOthers(['v2', 'v3'], { ...NO_POLICY, vaults: ['v1', 'v3'] });
  expect(warned).toMatchObject({ status: 'warning' });
});

test('the doctor warns of a credited vault that the API client does not see', () => {
  const policy = { ...NO_POLICY, vaults: ['v1', 'v9'] };
  expect(checkCredited(policy, ['v1', 'v2'])).toMatchObject([
    { status: 'warning', detail: expect.stringContaining('names v9, which') as string },
  ]);
  expect(checkCredited(policy, ['v1', 'v9'])).toEqual([]);
  expect(checkCredited(NO_POLICY, [])).toEqual([]);
});

test('the command that fixes a subscription names the configuration that the doctor was given', async () => {
  const stage = await Stage.start();
  const { diagnoses } = await checkCustody(stage.client, {
    config: { ...CUSTODY, vaults: [(await stage.depositAddress()).vaultId] },
    path: 'etc/staging.json',
    crediting: NO_POLICY,
    now: stage.now,
  });
  expect(diagnoses.find(({ check }) => check.startsWith('subscription'))?.detail).toContain(
    'fix it with `counterfoil subscribe --config etc/staging.json`',
  );
});
