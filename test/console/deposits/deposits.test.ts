import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { DEPOSIT_STATES } from '../../../src/domain/deposit/deposit.ts';
import { Memo, TransactionId } from '../../../src/domain/ids.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { verifyWith } from '../../store/evidence.ts';
import { change, decimals, onChain } from '../../store/webhook.ts';
import {
  ConsoleUnderTest,
  consoleUnderTest,
  words,
  type Browser,
  PUBLIC,
} from '../console-under-test.ts';
import { hashesIn } from './listed-hashes.ts';

const PATH = '/console/deposits';

const TWO_PEOPLE: CreditingPolicy = {
  default: { confirmations: 6, twoApprovalsAbove: Amount(50n) },
  networks: {},
  assets: {},
};

async function consoleWith(policy: CreditingPolicy): Promise<ConsoleUnderTest> {
  return new ConsoleUnderTest(await apiUnderTest(policy));
}

/** A deposit with a memo that nobody registered, verified by the custody API. */
async function withMemoDeposit(console: ConsoleUnderTest): Promise<string> {
  const { open, service } = console;
  await open.deliver(
    service.incoming('mempool', { memo: '88' }),
    service.confirmed(6, { memo: '88', balanceChanges: [change('100', decimals(2))] }),
  );
  await verifyWith(open, { memo: Memo('88') });
  return `${PATH}/${open.depositId()}`;
}

/** The hashes of the listed deposits, in order. */
async function listed(browser: Browser, link: string): Promise<string[]> {
  return hashesIn(await browser.get(`${PATH}${link}`));
}

test('the filter lists the states in their order', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const [select = ''] = /<select name="state".*?<\/select>/s.exec(await stranger.get(PATH)) ?? [];
  const options = [...select.matchAll(/<option value="([^"]+)"/g)].map(([, state]) => state);
  expect(options).toEqual(DEPOSIT_STATES);
});

test('every filter is a link', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(
    service.confirmed(6, { blockchainHash: '0x1', balanceChanges: [change('150', decimals(2))] }),
    service.confirmed(1, { blockchainHash: '0x2', vaultId: 'v2', accountId: 'acc-2' }),
    service.incoming('mempool', {
      blockchainHash: '0x3',
      addressId: 'adr-3',
      balanceChanges: [change('100', onChain('0xAb', 'adr-3'))],
    }),
    service.confirmed(1, { blockchainHash: '0x4', memo: '88', balanceChanges: [change('5000')] }),
    service.confirmed(1, {
      blockchainHash: '0x5',
      network: 'ripple',
      balanceChanges: [change('7', { asset: 'ripple:XRP' })],
    }),
  );
  const olga = await console.as('olga');
  const held = open.deposits().find((one) => one.blockchain_hash === '0x4')?.deposit_id ?? '';
  const cases: [link: string, found: string[]][] = [
    ['', ['0x5', '0x4', '0x3', '0x2', '0x1']],
    ['?state=held', ['0x4']],
    ['?state=held&reason=unattributed_memo', ['0x4']],
    ['?state=held&reason=dust', []],
    ['?state=held&reason=without_owner', ['0x4']],
    ['?asset=ripple%3AXRP', ['0x5']],
    ['?network=ripple', ['0x5']],
    ['?vaultId=v2', ['0x2']],
    ['?accountId=acc-2', ['0x2']],
    ['?addressId=adr-3', ['0x3']],
    ['?networkAddress=0xaB', ['0x3']],
    ['?networkAddress=0xaBc', []],
    ['?memo=+88+', ['0x4']],
    ['?blockchainHash=0x3', ['0x3']],
    ['?asset=ethereum%3AETH&amountFrom=1.5&amountTo=1.50', ['0x1']],
    ['?asset=ethereum%3AETH&amountFrom=2', ['0x4']],
    ['?asset=ripple%3AXRP&amountFrom=7', ['0x5']],
    ['?from=2025-11-20&to=2025-11-20', ['0x5', '0x4', '0x3', '0x2', '0x1']],
    ['?to=2025-11-19', []],
    ['?from=2025-11-21', []],
  ];
  for (const [link, found] of cases)
    expect([link, await listed(olga, link)]).toEqual([link, found]);
  await olga.post(`${PATH}/${held}/attribute`, { attributedTo: 'customer 7', reason: 'ticket' });
  expect(await listed(olga, '?attributedTo=customer+7')).toEqual(['0x4']);
  const onChainAt = open.deposits().find((one) => one.blockchain_hash === '0x3')?.deposit_id ?? '';
  expect(await olga.get(`${PATH}/${onChainAt}`)).toContain(`href="${PATH}?networkAddress=0xAb"`);
  const page = await olga.get(`${PATH}?vaultId=v2&from=2025-11-20`);
  expect(page).toContain('Filter: First seen from (UTC) 2025-11-20, Vault id v2');
  expect(page).toContain('name="vaultId" type="text" value="v2"');
  expect(page).toContain('href="/console/deposits.csv?vaultId=v2&amp;from=2025-11-20"');
  expect(words(await olga.get(`${PATH}?memo=99`))).toContain('No deposit is like this.');
});

test('a filter that cannot be read says what to write', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  const cases: [link: string, text: string][] = [
    ['?from=yesterday', 'First seen from is not a day Write it as 2025-11-20.'],
    ['?amountFrom=1', 'Amount from needs an asset'],
    ['?asset=x&amountTo=1.5', 'Amount to is not an amount Write a whole number'],
    ['?state=lost', 'Unknown state Use one of detected'],
    ['?reason=mood', 'Unknown reason Use one of operator_hold'],
  ];
  for (const [link, text] of cases) {
    const answer = await vera.request(`${PATH}${link}`);
    expect([link, answer.status]).toEqual([link, 400]);
    expect(words(await answer.text())).toContain(text);
    expect((await vera.request(`${PATH}.csv${link}`)).status).toBe(400);
  }
});

test('the csv holds the filtered list, and no formula', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(
    service.confirmed(6, {
      memo: '=HYPERLINK("http://x")',
      balanceChanges: [change('123456', decimals(2))],
    }),
    service.confirmed(1, { blockchainHash: '0xb2', vaultId: 'v2' }),
  );
  const vera = await console.as('vera');
  const answer = await vera.request(`${PATH}.csv?vaultId=v1`);
  expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="deposits.csv"');
  const [head, line, ...rest] = (await answer.text()).split('\r\n');
  expect(head).toContain('depositId,state,reason,asset,amount,amountUnits,network');
  expect(line).toContain(',held,unattributed_memo,ethereum:ETH,1234.56,123456,ethereum,0xa1,');
  expect(line).toContain(`,"'=HYPERLINK(""http://x"")",`);
  expect(rest).toEqual(['']);
  const workbook = await vera.request(`${PATH}.xlsx?vaultId=v1`);
  expect(workbook.headers.get('Content-Disposition')).toBe('attachment; filename="deposits.xlsx"');
  expect(
    Buffer.from(await workbook.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
});

test('a deposit’s life runs from the mempool to the acknowledgement', async () => {
  const console = await consoleUnderTest();
  const path = await withMemoDeposit(console);
  const [olga, vera] = [await console.as('olga'), await console.as('vera')];
  const held = words(await vera.get(path));
  expect(held).toContain('Its memo belongs to nobody. Find out whose it is, and name its owner.');
  expect(held).toContain('not yet Owner known no registered memo');
  expect(held).toContain('yes No hold by a person nobody holds it by hand');
  expect(held).toContain('Break unattributed memo opened:');
  await olga.send(`${path}/attribute`, { attributedTo: 'customer 7', reason: 'their ticket' });
  const creditId = console.open.lastCreditId();
  await console.open.decide({ kind: 'acknowledge', creditId, reference: 'booking 5' }, 'chris');
  const page = words(await vera.get(path));
  const steps = [
    'webhook incoming mempool Notification ntf-1',
    'The deposit became known.',
    'incoming confirmation at depth 6',
    'Posted to the books: +1 ETH 100',
    'custody API The custody API’s record was compared',
    'verified The record matched, at depth 6.',
    'The policy asked for: policy pol_1; 6 confirmations required; no approval needed',
    'person olga named its owner: customer 7 their ticket',
    'credited Item 1 of the feed',
    'policy pol_1; 6 confirmations required; no approval needed; owner customer 7',
    'consumer chris acknowledged the credit',
    'acknowledged Reference booking 5',
  ];
  const found = steps.map((step) => page.indexOf(step));
  expect(found).not.toContain(-1);
  expect(found).toEqual(found.toSorted((left, right) => left - right));
  expect(page).toContain('It is credited and acknowledged. Nothing to do.');
});

test('a hold by a person, a halt and changed decimals are conditions of their own', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(1));
  const depositId = open.depositId();
  await open.decide({ kind: 'hold', depositId, reason: 'asked by the police' });
  const page = words(await (await console.as('vera')).get(`${PATH}/${depositId}`));
  expect(page).toContain('not yet No hold by a person ann: asked by the police');
  expect(page).toContain('yes Crediting is not halted by the policy');
  expect(page).toContain('yes Decimals as before every notification names the same');
});

test('a raw body is shown escaped and indented, and leads to its bytes', async () => {
  const console = await consoleUnderTest();
  const body = console.service.confirmed(1, { note: '<script>alert(1)</script>', big: 12.5 });
  const raw = JSON.stringify(body).replace('12.5', '123456789012345678901');
  await console.open.deliver(raw);
  const audra = await console.as('audra');
  const page = await (await audra.request(`${PATH}/${console.open.depositId()}`)).text();
  expect(page).not.toContain('<script>alert');
  expect(page).toContain('&quot;note&quot;: &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;');
  expect(page).toContain('\n  &quot;big&quot;: 123456789012345678901');
  const link = /href="(\/console\/journal\/\d+)"/.exec(page)?.[1] ?? '';
  expect(await (await audra.request(`${link}/bytes`)).text()).toBe(raw);
});

test('an operator holds and releases; others see no button and are refused', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(6));
  const path = `${PATH}/${console.open.depositId()}`;
  for (const person of ['vera', 'chris'] as const) {
    const browser = await console.as(person);
    expect(await browser.get(path)).not.toContain(`${path}/hold`);
    expect(words(await browser.send(`${path}/hold`, { reason: 'x' }))).toContain(
      'Your role does not allow this',
    );
  }
  expect(console.open.depositState()).toBe('verifying');
  const olga = await console.as('olga');
  expect(words(await olga.get(path))).toContain('Stops its credit until somebody releases it.');
  const held = words(await olga.send(`${path}/hold`, { reason: 'police letter' }));
  expect(held).toContain('The deposit is held.');
  expect(held).toContain('A person holds it.');
  expect(held).toContain('olga held it police letter');
  const released = words(await olga.send(`${path}/release`, { reason: 'withdrawn' }));
  expect(released).toContain('The deposit is released.');
  expect(console.open.depositState()).toBe('verifying');
  expect(words(await olga.send(`${path}/hold`, { reason: '' }))).toContain('must not be empty');
});

test('two people approve; the same one twice is refused with what to do', async () => {
  const console = await consoleWith(TWO_PEOPLE);
  await console.open.deliver(console.service.confirmed(6));
  await verifyWith(console.open);
  const path = `${PATH}/${console.open.depositId()}`;
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  expect(words(await olga.get(path))).toContain('Gives approval 1 of 2.');
  const first = words(await olga.send(`${path}/approve`, { reason: 'known customer' }));
  expect(first).toContain('The approval is recorded.');
  expect(first).toContain('You approved it. The next approval needs another person.');
  expect(first).toContain('not yet Approved 1 of 2: olga');
  const again = words(await olga.send(`${path}/approve`, { reason: 'once more' }));
  expect(again).toContain('A second approval needs another person');
  expect(words(await otto.get(path))).toContain('Gives approval 2 of 2: the credit follows');
  const second = words(await otto.send(`${path}/approve`, { reason: 'called them' }));
  expect(second).toContain('otto approved it called them credited Item 1 of the feed');
  expect(second).toContain('two approvals needed, above 50 smallest units; approved by olga, otto');
});

test('a decision about another amount is not made', async () => {
  const console = await consoleWith(TWO_PEOPLE);
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  const path = `${PATH}/${open.depositId()}`;
  const olga = await console.as('olga');
  const basis = /name="basis" value="([^"]*)"/.exec(await olga.get(path))?.[1] ?? '';
  await open.deliver(service.incoming('rollback'), service.confirmed(6));
  const fields = { reason: 'sure', basis: basis.replaceAll('&quot;', '"') };
  const page = words(await olga.send(`${path}/approve`, fields));
  expect(page).toContain('It changed since you read it: its epoch was 0 and is 1 now.');
  expect(page).toContain('You wrote: Reason sure ');
  expect(open.deposit().approvals).toBe('[]');
});

test('a deposit that differs from its custody record is shown beside it', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(6));
  await verifyWith(console.open, { changes: [], transactionId: TransactionId('dep-tx') });
  const vera = await console.as('vera');
  const page = words(await vera.get(`${PATH}/${console.open.depositId()}`));
  expect(page).toContain(
    'The custody API says otherwise. The custody API shows no ethereum:ETH at this position: do not credit it, it may be forged. No credit follows',
  );
  expect(page).toContain('Amount, smallest units 0 100');
  expect(page).toContain('Break unknown to custody opened:');
});

test('a public console shows strangers everything and does nothing for them', async () => {
  const console = await consoleUnderTest(PUBLIC);
  const path = await withMemoDeposit(console);
  const page = await console.stranger.get(path);
  expect(words(page)).toContain('webhook incoming mempool');
  expect(page).not.toContain('Notification as received');
  expect(page).not.toContain('<form method="post"');
  await console.stranger.post(`${path}/attribute`, { attributedTo: 'me', reason: 'mine' });
  expect(console.open.deposit().attributed_to).toBeNull();
});

test('a deposit that is not there is answered in the frame', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  const answer = await vera.request(`${PATH}/dep_9`);
  expect(answer.status).toBe(404);
  expect(words(await answer.text())).toContain('There is no deposit dep_9.');
});

test.for([
  ['0xAbCd', 'Capital and small letters of this on-chain address are equal.'],
  ['bc1qar0srr7', 'Capital and small letters of this on-chain address are equal.'],
  ['rDsbeomae4FXwgQTJp9Rs64Qg9vDiTCdBv', 'Identifiers compare whole and letter by letter.'],
] as const)(
  'an empty list of the on-chain address %s says how its letters compare',
  async (one) => {
    const [address, text] = one;
    const vera = await (await consoleUnderTest()).as('vera');
    expect(words(await vera.get(`/console/deposits?networkAddress=${address}`))).toContain(text);
  },
);

test('the owner and the address id have the same name in the filter, the list and the page', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1));
  const vera = await console.as('vera');
  const list = await vera.get('/console/deposits');
  expect(list).toContain('<span>Owner</span>');
  expect(list).toMatch(/<th scope="col"[^>]*>Owner</);
  expect(list).not.toContain('Customer');
  const page = words(await vera.get(`/console/deposits/${console.open.depositId()}`));
  expect(page).toContain('Address id adr-1');
  expect(page).toMatch(/On-chain address .* Owner named by a person none/);
});
