import { expect, test } from 'vitest';
import { csvRows, numbersOf } from '../../report/reading-back.ts';
import { AT_ADDRESS, change } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { send } from './sent-withdrawals.ts';

async function sending() {
  const console = await consoleUnderTest();
  await send(console);
  return { console, vera: await console.as('vera') };
}

test('withdrawals are listed newest first, with status, amount, fee and custody’s word', async () => {
  const { vera } = await sending();
  const page = await vera.get('/console/withdrawals');
  const text = words(page);
  expect(text).toMatch(/wd-4 .* nothing posted .* unknown .* wd-3 .* wd-2 .* wd-tx/);
  expect(text).toMatch(
    /wd-tx mined −0.00000000000000003 ETH -30 fee −0.000000000000000002 ETH -2 0xdead known/,
  );
  expect(text).toMatch(/wd-2 failed reverted fee −0.000000000000000005 ETH -5/);
  expect(text).toMatch(/wd-3 approval-pending nothing posted/);
  expect(page).toContain('href="/console/withdrawals/wd-tx"');
  expect(page).toContain('href="/console/books/movements/0xf2"');
  expect(page).toContain('href="/console/withdrawals" aria-current="page"');
});

test('list, filter, file and page name the destination address with the same words', async () => {
  const { vera } = await sending();
  const list = await vera.get('/console/withdrawals');
  expect(list).toContain('<th scope="col">Destination address</th>');
  expect(words(list)).toMatch(/Amount Destination address Order id/);
  expect(words(await vera.get('/console/withdrawals/wd-tx'))).toContain(
    'Destination address 0xdead',
  );
  const csv = await (await vera.request('/console/withdrawals.csv')).text();
  expect(csv.split('\r\n')[0]?.split(',')).toContain('destinationAddress');
});

test('a filter of the list is a link', async () => {
  const { vera } = await sending();
  const cases: [filter: string, found: string[]][] = [
    ['status=failed', ['wd-2']],
    ['custody=unknown', ['wd-4']],
    ['custody=known', ['wd-tx']],
    ['custody=unasked', ['wd-3', 'wd-2']],
    ['vaultId=v1&status=mined', ['wd-4', 'wd-tx']],
    ['blockchainHash=0xf2', ['wd-2']],
    ['transactionId=wd-3', ['wd-3']],
    ['vaultId=v2', []],
    ['orderId=order-2', ['wd-2']],
    ['destinationAddress=0xdead&status=mined', ['wd-4', 'wd-tx']],
    ['destinationAddress=0xbeef', []],
    ['network=ethereum&orderId=order-3', ['wd-3']],
    ['network=tron', []],
    ['asset=ethereum:ETH', ['wd-2', 'wd-tx']],
    ['asset=ripple:XRP', []],
    ['amount=30', ['wd-tx']],
    ['asset=ethereum:ETH&amount=0.00000000000000003', ['wd-tx']],
    ['asset=ripple:XRP&amount=30', []],
    ['amount=31', []],
    ['from=2025-11-20&to=2025-11-20&status=failed', ['wd-2']],
    ['from=2025-11-21', []],
    ['to=2025-11-19', []],
  ];
  for (const [filter, found] of cases) {
    const page = await vera.get(`/console/withdrawals?${filter}`);
    const links = [...page.matchAll(/<a class="id" title="(wd-[^"]*)"/g)].map(([, id]) => id);
    expect([filter, links]).toEqual([filter, found]);
  }
  expect(words(await vera.get('/console/withdrawals?vaultId=v2'))).toContain(
    'No withdrawal is like this.',
  );
  expect((await vera.request('/console/withdrawals?status=dreaming')).status).toBe(404);
  expect((await vera.request('/console/withdrawals?from=soon')).status).toBe(404);
});

test('an amount of an asset without known decimals is found in smallest units', async () => {
  const { console, vera } = await sending();
  const { open, service } = console;
  const balanceChanges = [change('-77', { ...AT_ADDRESS, asset: 'ethereum:0xnew' })];
  await open.deliver(service.outgoing('mined', { transactionId: 'wd-new', balanceChanges }));
  const page = await vera.get('/console/withdrawals?asset=ethereum:0xnew&amount=77');
  expect(page).toContain('href="/console/withdrawals/wd-new"');
});

test.for(['withdrawals', 'breaks'])(
  'a text that is no amount is named as such in the list and the file of %s',
  async (list) => {
    const { vera } = await sending();
    const text = '“foo” is not an amount';
    const page = await vera.request(`/console/${list}?amount=foo`);
    expect([page.status, words(await page.text())]).toEqual([400, expect.stringContaining(text)]);
    for (const format of ['csv', 'xlsx']) {
      const file = await vera.request(`/console/${list}.${format}?amount=foo`);
      expect([file.status, await file.text()]).toEqual([
        400,
        `${text}. Write digits and a point, and the asset if you know it: 1.5 ETH.`,
      ]);
    }
    const known = await vera.request(`/console/${list}?amount=7,000.5+DOGE`);
    expect([known.status, await known.text()]).toEqual([200, expect.not.stringContaining(text)]);
  },
);

test('an empty store says what makes a withdrawal', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  expect(words(await vera.get('/console/withdrawals'))).toContain(
    'No withdrawal is known yet. The first notification of the outgoing stream',
  );
});

test('withdrawals are saved as csv and as a workbook, a row for each asset', async () => {
  const { vera } = await sending();
  const csv = await vera.request('/console/withdrawals.csv?status=mined');
  const [head = [], ...rows] = csvRows(await csv.text());
  const records = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
  expect(records).toMatchObject([
    { transactionId: 'wd-4', custody: 'unknown', amountUnits: '' },
    { transactionId: 'wd-tx', asset: 'ethereum:ETH', amountUnits: '-30', feeUnits: '-2' },
  ]);
  const xlsx = await vera.request('/console/withdrawals.xlsx?status=failed');
  expect(xlsx.headers.get('Content-Disposition')).toBe('attachment; filename="withdrawals.xlsx"');
  expect(numbersOf(new Uint8Array(await xlsx.arrayBuffer()), 2)).toEqual(['0', '-5e-18']);
});

test('a withdrawal’s life goes from its approval to the custody API’s record', async () => {
  const { console } = await sending();
  const page = await (await console.as('olga')).get('/console/withdrawals/wd-tx');
  const text = words(page);
  expect(page).toContain('<h1>Withdrawal wd-tx</h1>');
  expect(text).toContain('It is mined.');
  expect(text).toContain('known The custody API’s record agrees.');
  expect(text).toMatch(
    /outgoing approval-pending .* outgoing submitted .* outgoing mined .* Posted to the books, transfer: −0.00000000000000003 ETH -30 Posted to the books, fee: .* custody API The custody API’s record was compared Status there: mined/,
  );
  expect(text).toContain('books and chain view agree');
  expect(text).toMatch(/Own hashes .* 0xa1 ethereum confirmed/);
  expect(page).toContain('href="/console/journal/2"');
  expect(page).not.toContain('wd-2');
});

test('a failed withdrawal shows the fee that it burned', async () => {
  const { vera } = await sending();
  const text = words(await vera.get('/console/withdrawals/wd-2'));
  expect(text).toContain('It failed.');
  expect(text).toContain('Posted to the books, burned fee: −0.000000000000000005 ETH -5');
});

test.for([
  [
    'insufficient_balance',
    'It is paused: its source cannot pay the amount and the fee. Send the missing money to its source address;',
  ],
  [
    'hosted_singner_unavailable',
    'It is paused: the custody platform’s hosted signer is not available. The platform tries again by itself',
  ],
] as const)(
  'a withdrawal that %s pauses says what a person does, until it is signed',
  async ([reasonCode, text]) => {
    const console = await consoleUnderTest();
    const { open, service } = console;
    const vera = await console.as('vera');
    const page = async () => words(await vera.get('/console/withdrawals/wd-tx'));
    await open.deliver(service.outgoing('inited'));
    expect(await page()).toContain('It is prepared. Nothing to do here');
    await open.deliver(service.outgoing('warning', { reasonCode }));
    expect(await page()).toContain(text);
    expect(await page()).not.toContain('Nothing to do');
    await open.deliver(service.outgoing('signed'));
    expect(await page()).toContain('It is signed. Nothing to do here');
    await open.deliver(service.outgoing('warning', { reasonCode }));
    expect(await page()).toContain('It is signed. Nothing to do here');
  },
);

test('a withdrawal that waits for a signature names its signer', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.outgoing('to-sign'));
  const vera = await console.as('vera');
  expect(words(await vera.get('/console/withdrawals/wd-tx'))).toContain(
    'It waits for a signature. The external signer of its vault signs it.',
  );
});

test('a withdrawal that the custody API does not know shows its reversal and its break', async () => {
  const { console, vera } = await sending();
  const page = await vera.get('/console/withdrawals/wd-4');
  const text = words(page);
  expect(text).toContain('unknown The custody API does not know it.');
  expect(text).toContain('The custody API does not know this transaction');
  expect(text).toContain('Reversed in the books');
  const { id } = console.open.openBreak('unknown_to_custody');
  expect(page).toContain(`href="/console/breaks/${id}"`);
  expect(text).toMatch(/0xf4 ethereum refuted/);
  expect(await vera.get(`/console/breaks/${id}`)).toContain('href="/console/withdrawals/wd-4"');
});

test('a withdrawal without a hash is shown, and one that does not exist is searched for', async () => {
  const { vera } = await sending();
  expect(words(await vera.get('/console/withdrawals/wd-3'))).toContain(
    'It has no hash yet, so nothing is posted',
  );
  const answer = await vera.request('/console/withdrawals/wd-9');
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console/search?q=wd-9']);
});

test('the search opens a withdrawal by its transaction', async () => {
  const { vera } = await sending();
  const answer = await vera.request('/console/search?q=wd-2');
  expect(answer.headers.get('Location')).toBe('/console/withdrawals/wd-2');
});
