import { expect, test } from 'vitest';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { change, decimals } from '../../store/webhook.ts';
import { ConsoleUnderTest, consoleUnderTest, words } from '../console-under-test.ts';
import { held } from './held-policy.ts';

const PATH = '/console/policy';

test('the switches send the policy’s version: a resume of another policy than the page showed is refused', async () => {
  const console = await consoleUnderTest();
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  const asset = 'ethereum:ETH';
  await olga.send(`${PATH}/halt`, { asset, reason: 'a fork' });
  const basis = /name="basis" value="(pol_\d+)"/.exec(await olga.get(PATH))?.[1] ?? '';
  expect(basis).toMatch(/^pol_/);
  await otto.send(`${PATH}/halt`, { network: 'ripple', reason: 'another fork', basis });
  const refused = words(await olga.send(`${PATH}/resume`, { asset, reason: 'over', basis }));
  expect(refused).toContain('The policy has changed since you read it: otto set it (another fork)');
});

test('an operator halts an asset and resumes it; the reason is kept', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  const asset = 'ethereum:ETH';
  const halted = words(await olga.send(`${PATH}/halt`, { asset, reason: 'a fork' }));
  expect(halted).toContain('ethereum:ETH is halted.');
  expect(halted).toContain('asset ethereum:ETH halted Resume asset ethereum:ETH…');
  expect((await held(console)).halted).toEqual(['asset ethereum:ETH']);
  const history = words(await olga.get(`${PATH}/history`));
  expect(history).toContain('a fork Differences of pol_2');
  expect(history).toContain('asset ethereum:ETH Halted not set yes');
  const resumed = words(await olga.send(`${PATH}/resume`, { asset, reason: 'it is over' }));
  expect(resumed).toContain('ethereum:ETH is no longer halted.');
  expect((await held(console)).halted).toEqual([]);
});

test('a switch keeps its position when it is set', async () => {
  const console = await consoleUnderTest();
  const body = (asset: string) => ({ balanceChanges: [change('1', { asset, ...decimals(6) })] });
  await console.open.deliver(
    console.service.confirmed(1, body('ethereum:ETH')),
    console.service.confirmed(1, { blockchainHash: '0xb2', ...body('ethereum:USDC') }),
  );
  const olga = await console.as('olga');
  const switches = (page: string): string[] =>
    [...page.matchAll(/<span class="switch-name">([^<]*)</g)].map(([, name = '']) => name);
  const before = switches(await olga.get(PATH));
  expect(before).toEqual([
    'everything',
    'network ethereum',
    'asset ethereum:ETH',
    'asset ethereum:USDC',
  ]);
  await olga.send(`${PATH}/halt`, { asset: 'ethereum:USDC', reason: 'a fork' });
  expect(switches(await olga.get(PATH))).toEqual(before);
});

test('everything and a network have switches, and a halt of both names is refused', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  await olga.send(`${PATH}/halt`, { reason: 'maintenance' });
  await olga.send(`${PATH}/halt`, { network: 'ripple', reason: 'maintenance' });
  expect((await held(console)).halted).toEqual(['everything', 'network ripple']);
  const both = { network: 'ripple', asset: 'ripple:XRP', reason: 'maintenance' };
  expect(words(await olga.send(`${PATH}/halt`, both))).toContain('name a network or an asset');
});

test('a halt of another thing without its name is refused, and does not halt everything', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  for (const blank of ['', ' ']) {
    const form = { network: blank, asset: blank, reason: 'a fork' };
    expect(words(await olga.send(`${PATH}/halt`, form))).toContain('Network: must not be empty');
  }
  expect((await held(console)).halted).toEqual([]);
  await olga.send(`${PATH}/halt`, { network: '', asset: ' ethereum:ETH ', reason: 'a fork' });
  expect((await held(console)).halted).toEqual(['asset ethereum:ETH']);
});

test('a halt of a name that may be misspelt says that it stops nothing, and no other halt does', async () => {
  const asset = 'assets["ETH"]: an asset is named by its network and symbol: is it ethereum:ETH?';
  const network = 'networks.etherium: no network "etherium" is known; there are ethereum';
  const warnings = (): Promise<string[]> =>
    Promise.resolve([asset, network, 'networks.ripple is deep: ripple will wait']);
  const { policy } = await apiUnderTest();
  const api = await apiUnderTest(SIX_DEEP, { policy: { ...policy, warnings } });
  const olga = await new ConsoleUnderTest(api).as('olga');
  const halt = async (scope: Record<string, string>): Promise<string> =>
    words(await olga.send(`${PATH}/halt`, { ...scope, reason: 'a fork' }));
  expect(await halt({ asset: 'ETH' })).toContain(
    'The halt of asset ETH is set, but it stops no deposit that is known here. Check the name: an asset is named by its network and symbol: is it ethereum:ETH? If it is wrong, halt the right one, and resume asset ETH.',
  );
  const page = await halt({ network: 'etherium' });
  expect(page).not.toContain('etherium is halted.');
  expect(page).toContain(
    'network etherium halted Stops no deposit that is known here: no network "etherium" is known; there are ethereum. Resume network etherium…',
  );
  for (const scope of [{ network: 'ripple' }, { asset: 'ethereum:ETH' }, {}]) {
    const halted = await halt({ ...scope });
    expect(halted).toContain('is halted.');
    expect(halted).not.toContain('Check the name:');
  }
  const resumed = await olga.send(`${PATH}/resume`, { network: 'etherium', reason: 'misspelt' });
  expect(words(resumed)).toContain('etherium is no longer halted.');
});
