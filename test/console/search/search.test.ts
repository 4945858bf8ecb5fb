import { expect, test } from 'vitest';
import { CreditId } from '../../../src/domain/ids.ts';
import { verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals, onChain } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

test('a search lists what has the text as its id or hash, with its notifications', async () => {
  const { open, service, as } = await openConsole();
  await open.deliver(
    service.confirmed(1),
    service.confirmed(1, { addressId: 'adr-2' }),
    service.chain('transaction'),
  );
  const text = words(await (await as('vera')).get('/console/search?q=%200xa1%20'));
  expect(text).toContain('Results for 0xa1');
  expect(text).toMatch(
    /Detail Amount Vault When Deposit dep_\S+ (?:Copy )?confirming 100 ETH .* v1 /,
  );
  expect(text).toContain('Movements 0xa1 1 by asset and vault');
  expect(text).toMatch(/Notification ntf-1 (?:Copy )?incoming confirmation 0xa1/);
  expect(text.match(/Deposit dep_/g)).toHaveLength(2);
});

test('a single thing opens at once, whichever of its ids is given', async () => {
  const { open, as } = await openConsole();
  await open.run();
  const seq = String(open.rows<{ seq: number }>('SELECT seq FROM reconciliations')[0]?.seq);
  const answer = await (await as('vera')).request(`/console/search?q=rec_${seq}`);
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, `/console/runs/${seq}`]);
});

test('a notification’s id opens its body, and names it where the role may not read bodies', async () => {
  const { open, service, as } = await openConsole();
  await open.deliver(service.confirmed(1));
  const [row] = open.rows<{ seq: number; id: string }>('SELECT seq, id FROM notifications');
  const audra = await (await as('audra')).request(`/console/search?q=${row?.id}`);
  expect(audra.headers.get('Location')).toBe(`/console/journal/${row?.seq}`);
  const page = await (await as('vera')).get(`/console/search?q=${row?.id}`);
  expect(words(page)).toContain(`Notification ${row?.id} incoming confirmation 0xa1`);
  expect(page).not.toContain('/console/journal/');
});

test('a quarantined body’s id opens it', async () => {
  const { open, as } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  const [kept] = open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
  const answer = await (await as('vera')).request(`/console/search?q=${kept?.id}`);
  expect(answer.headers.get('Location')).toBe(`/console/quarantine/${kept?.id}`);
});

test('a text that nothing has teaches what search takes', async () => {
  const { as } = await openConsole();
  const vera = await as('vera');
  const text = words(await vera.get('/console/search?q=nothing'));
  expect(text).toContain('Nothing has this id, hash, address, memo, owner, reference or amount.');
  expect(text).toContain('Search takes whole ids');
  expect(text).toContain(
    'Write a point before decimals, the memo alone, the id of a vault instead of its name, and a whole hash: the button beside a hash copies it.',
  );
  expect(text).toContain('Deposits are found by their on-chain address');
  expect(words(await vera.get('/console/search'))).toContain('Type what you look for.');
  const long = await vera.get(`/console/search?q=${'x'.repeat(5_000)}`);
  expect(long).toContain(`Results for ${'x'.repeat(200)}<`);
});

test('a memo, an address and an owner find the newest deposits', async () => {
  const { open, service, as } = await openConsole();
  await open.deliver(service.confirmed(1, { addressId: 'adr-9', memo: '88' }));
  const depositId = open.depositId();
  await open.decide({
    kind: 'attribute',
    depositId,
    attributedTo: 'customer 7',
    endsApprovals: true,
    reason: 'asked',
  });
  const vera = await as('vera');
  for (const text of ['adr-9', '88', 'customer 7']) {
    const answer = await vera.request(`/console/search?q=${encodeURIComponent(text)}`);
    expect([text, answer.status, answer.headers.get('Location')]).toEqual([
      text,
      303,
      `/console/deposits/${depositId}`,
    ]);
  }
});

test('an address on the chain finds its deposits and their vaults, in any spelling', async () => {
  const { open, service, as } = await openConsole();
  const at = (blockchainHash: string, vaultId: string) =>
    service.confirmed(1, {
      blockchainHash,
      vaultId,
      balanceChanges: [change('100', onChain('0xAbCd'))],
    });
  await open.deliver(at('0xb1', 'v1'), at('0xb2', 'v2'), at('0xb3', 'v2'));
  const page = await (await as('vera')).get('/console/search?q=0xabcd');
  const text = words(page);
  expect(text.match(/Deposit dep_/g)).toHaveLength(3);
  expect(text).toContain('Vault v1 balances of its positions');
  expect(text.match(/Vault v2 /g)).toHaveLength(1);
  expect(page).toContain('href="/console/deposits?networkAddress=0xabcd"');
});

test('results show the amount in the asset’s unit, and links only to lists that can have the text', async () => {
  const { open, service, as } = await openConsole();
  const address = `0x${'AbCd'.repeat(10)}`;
  const vaultId = '710a185f-3634-4109-b4bb-9dc3a01d982c';
  const ether = change('1000000000000000000', { ...onChain(address), ...decimals(18) });
  await open.deliver(
    service.confirmed(1, { vaultId, balanceChanges: [ether] }),
    service.confirmed(1, { vaultId, blockchainHash: '0xb2', balanceChanges: [ether] }),
  );
  const vera = await as('vera');
  const page = await vera.get(`/console/search?q=${address}`);
  expect(words(page)).toMatch(/confirming 1 ETH 1000000000000000000 710a185f…1d982c/);
  expect(words(page)).toContain(
    'All deposits by on-chain address . All withdrawals by destination address .',
  );
  expect(words(await vera.get('/console/search?q=2.5'))).toMatch(/All withdrawals by .*amount \./);
  expect(words(await vera.get('/console/search?q=customer'))).not.toMatch(/by .*(amount|vault) \./);
  expect(words(await vera.get('/console/search?q=customer 8'))).toContain(
    'All deposits by memo , owner . All withdrawals by memo .',
  );
});

test.for(['1.5 ETH', '1.5 eth', '1.50', '150 ethereum:ETH', '150'])(
  'the amount %s finds its deposit, in the asset’s unit or in smallest units',
  async (text) => {
    const { open, service, as } = await openConsole();
    const ether = (amount: string) => ({ balanceChanges: [change(amount, decimals(2))] });
    await open.deliver(
      service.confirmed(1, ether('150')),
      service.confirmed(1, { blockchainHash: '0xb2', ...ether('151') }),
    );
    const answer = await (await as('vera')).request(`/console/search?q=${text}`);
    expect(answer.headers.get('Location')).toBe(
      `/console/deposits/${open.deposits()[0]?.deposit_id}`,
    );
  },
);

test.for(['order-2', 'to-address', '77', '2.5 ETH'])(
  'the order, destination, memo or amount %s finds its withdrawal',
  async (text) => {
    const { open, service, as } = await openConsole();
    const spent = change('-250', { ...AT_ADDRESS, ...decimals(2) });
    const fee = change('-3', { ...AT_ADDRESS, ...decimals(2), tags: ['fee'] });
    await open.deliver(
      service.outgoing('submitted', { transactionId: 'wd-1', orderId: 'order-1' }),
      service.outgoing('mined', {
        transactionId: 'wd-2',
        orderId: 'order-2',
        destinationAddress: 'to-address',
        memo: '77',
        blockchainHash: '0xf2',
        balanceChanges: [spent, fee],
      }),
    );
    const answer = await (await as('vera')).request(`/console/search?q=${text}`);
    expect(answer.headers.get('Location')).toBe('/console/withdrawals/wd-2');
  },
);

test('an amount finds the open breaks whose sides or difference it is', async () => {
  const { open, service, as } = await openConsole();
  const moved = change('-1500', { ...AT_ADDRESS, ...decimals(2) });
  await open.deliver(service.chain('transaction', { balanceChanges: [moved] }));
  await open.run();
  const vera = await as('vera');
  const { id } = open.openBreak('unexplained_movement');
  const answer = await vera.request('/console/search?q=15 ETH');
  expect(answer.headers.get('Location')).toBe(`/console/breaks/${id}`);
  expect(words(await vera.get('/console/search?q=16 ETH'))).toContain('Nothing has this id');
});

test('a vault’s id opens its balances', async () => {
  const { open, service, as } = await openConsole();
  await open.deliver(service.confirmed(1));
  const answer = await (await as('vera')).request('/console/search?q=v1');
  expect(answer.headers.get('Location')).toBe('/console/books?vaultId=v1');
});

test('a consumer’s reference and a transaction find what they belong to', async () => {
  const { open, service, as } = await openConsole();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.decide({
    kind: 'acknowledge',
    creditId: CreditId(open.deposits()[0]?.credit_id ?? ''),
    reference: 'ledger-9',
  });
  await open.deliver(
    service.outgoing('submitted', { transactionId: 'wd-1', blockchainHash: '0xf6' }),
  );
  const vera = await as('vera');
  for (const text of ['ledger-9', 'dep-tx']) {
    const answer = await vera.request(`/console/search?q=${text}`);
    expect(answer.headers.get('Location')).toBe(`/console/deposits/${open.depositId()}`);
  }
  const sent = await vera.request('/console/search?q=wd-1');
  expect(sent.headers.get('Location')).toBe('/console/withdrawals/wd-1');
});

test('every page has the field, which the key / opens', async () => {
  const { as } = await openConsole();
  expect(await (await as('vera')).get('/console/runs')).toContain(
    '<form class="search" role="search" method="get" action="/console/search">',
  );
});

async function openConsole() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  return { open, service, as: console.as.bind(console) };
}
