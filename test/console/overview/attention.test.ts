import { expect, test } from 'vitest';
import { CloseCalendar } from '../../../src/reconcile/close/calendar.ts';
import { readPage } from '../../docs/reading/page.ts';
import { closeOf, closesOf, dayNumber } from '../../store/close/closing.ts';
import { verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals, type Service } from '../../store/webhook.ts';
import { CALM, words } from '../console-under-test.ts';
import { openConsole } from './open-console.ts';

/** A movement of ether, with two decimals, that no transaction explains. */
function moved(service: Service, vaultId: string, amount: string) {
  const balanceChanges = [change(amount, { ...AT_ADDRESS, ...decimals(2) })];
  return service.chain('transaction', {
    vaultId,
    blockchainHash: `0xd${vaultId}${amount}`,
    balanceChanges,
  });
}

test('what a person must look at is shown above everything else, as text', async () => {
  let notices: string[] = ['The custody API has refused our key (401). <Attach> the public key.'];
  const { read } = await openConsole({ status: () => ({ ...CALM, notices }) });
  const page = await read();
  expect(page).toContain('&lt;Attach&gt; the public key.');
  expect(words(page)).toMatch(/refused our key \(401\).* Tie-out/);
  notices = [];
  expect(await read()).not.toContain('Attach');
});

test('what waits for a person is ordered by severity, then money, then age', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  await open.deliver(
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  await open.deliver(service.confirmed(6, { blockchainHash: '0xb2' }));
  const [deposit] = open.deposits();
  const depositId = deposit?.deposit_id ?? '';
  await open.decide({ kind: 'hold', depositId: depositId as never, reason: 'asked' });
  const text = words(await read());
  const order = ['unexplained movement', 'quarantined', 'held: operator hold'];
  const positions = order.map((title) => text.indexOf(title, text.indexOf('Needs a person')));
  expect(positions.every((position) => position > 0)).toBe(true);
  expect(positions).toEqual(positions.toSorted((left, right) => left - right));
  expect(text).toMatch(
    /critical unexplained movement \d+ s .* \+15 ETH 1500 ours minus theirs brk_\d+/,
  );
});

test('an old critical break is shown before however many newer ones are less severe', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  const strange = Array.from({ length: 201 }, (_, index) => ({ id: `s${index}`, stream: 'x' }));
  await open.deliverTogether(...strange);
  const text = words(await read());
  expect(text).toMatch(
    /Needs a person critical unexplained movement .* warning 201 × quarantined /,
  );
  expect(text).toMatch(/Open breaks by age .* quarantined 201 oldest \d min/);
});

test('deposits that wait are shown however many more severe breaks there are', async () => {
  const { open, service, read } = await openConsole();
  await open.deliverTogether(
    ...Array.from({ length: 13 }, (_, index) => moved(service, `v${index}`, '-1500')),
  );
  await open.run();
  const hashes = ['0xc1', '0xc2', '0xc3', '0xc4'];
  await open.deliverTogether(
    ...hashes.map((blockchainHash) => service.confirmed(1, { blockchainHash })),
  );
  for (const { deposit_id: depositId } of open.deposits()) {
    await open.decide({ kind: 'hold', depositId: depositId as never, reason: 'asked' });
  }
  const page = await read();
  expect(page.match(/id="waits-break-/g)).toHaveLength(9);
  expect(page.match(/id="waits-deposit-/g)).toHaveLength(3);
  expect(words(page)).toMatch(/and 4 more breaks , 1 more held deposit/);
  expect(page.lastIndexOf('id="waits-break-')).toBeLessThan(page.indexOf('id="waits-deposit-'));
});

test('breaks of one cause are one row, which leads to all of them ticked', async () => {
  const { open, service, read } = await openConsole();
  await open.deliverTogether(
    ...['-1500', '300', '-25'].map((amount) => moved(service, 'v1', amount)),
    ...['-700', '700'].map((amount) => moved(service, 'v2', amount)),
  );
  await open.run();
  const page = await read();
  const text = words(page);
  expect(page.match(/id="waits-break-/g)).toHaveLength(3);
  expect(text).toMatch(
    /critical 3 × unexplained movement in vault v1 \d+ s The most urgent: .* 18\.25 ETH 1825 /,
  );
  expect(text).not.toContain('more break');
  const queue = '/console/breaks?type=unexplained_movement&amp;vault=v1&amp;chosen=all';
  expect(page).toContain(`<a href="${queue}">3 × unexplained movement in vault v1</a>`);
});

test('breaks about held deposits show what the deposits hold, alone and together', async () => {
  const { open, service, read } = await openConsole();
  const paid = (hash: string, amount: string, vaultId: string) =>
    service.confirmed(1, {
      vaultId,
      memo: '88',
      blockchainHash: hash,
      transactionId: `tx-${hash}`,
      balanceChanges: [change(amount, decimals(2))],
    });
  await open.deliver(paid('0xc0', '7500', 'v2'));
  for (const [hash, amount] of [
    ['0xc1', '100'],
    ['0xc2', '250'],
    ['0xc3', '25'],
  ] as const) {
    await open.deliver(paid(hash, amount, 'v1'));
  }
  const text = words(await read());
  expect(text).toMatch(/ unattributed memo \d+ s .* 75 ETH 7500 /);
  expect(text).toMatch(/ 3 × unattributed memo in vault v1 \d+ s .* 3\.75 ETH 375 /);
});

test('breaks of one hash are one row with the amount of the most urgent one, and no sum', async () => {
  const { open, service, read } = await openConsole();
  const [first, ...others] = ['v1', 'v2', 'v3'].map((vaultId) => ({
    ...moved(service, vaultId, '-700'),
    blockchainHash: '0xd9',
  }));
  await open.deliver(first ?? {});
  await open.deliverTogether(...others);
  await open.run();
  const page = await read();
  expect(page.match(/id="waits-break-/g)).toHaveLength(1);
  expect(words(page)).toMatch(
    /3 × breaks of hash 0xd9 \d+ s The most urgent: .* \+7 ETH 700 ours minus theirs /,
  );
});

test('an old hold is shown before however many newer ones wait for nobody', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  const depositId = open.deposits()[0]?.deposit_id as never;
  await open.decide({ kind: 'hold', depositId, reason: 'asked by the police' });
  const scope = { kind: 'asset', asset: 'ethereum:ETH' as never } as const;
  await open.decide({ kind: 'halt', scope, reason: 'the chain forks' });
  const hashes = Array.from({ length: 55 }, (_, index) => `0xc${index}`);
  await open.deliverTogether(
    ...hashes.map((blockchainHash) =>
      service.confirmed(6, { blockchainHash, transactionId: `tx-${blockchainHash}` }),
    ),
  );
  expect(open.deposits().filter(({ reason }) => reason === 'halted')).toHaveLength(55);
  const text = words(await read());
  expect(text).toContain('held: operator hold');
  expect(text).not.toContain('held: halted');
  expect(text).not.toMatch(/more (held deposits|breaks)/);
});

test.for([
  [13, '1 more held deposit'],
  [15, '3 more held deposits'],
] as const)(
  'of %i holds the list counts %s, and the count leads to them',
  async ([holds, more]) => {
    const { open, service, read } = await openConsole();
    const hashes = Array.from({ length: holds }, (_, index) => `0xc${index}`);
    for (const blockchainHash of hashes) {
      await open.deliver(service.confirmed(1, { blockchainHash }));
    }
    for (const { deposit_id: depositId } of open.deposits()) {
      await open.decide({ kind: 'hold', depositId: depositId as never, reason: 'asked' });
    }
    expect(await read()).toContain(`<a href="/console/deposits?state=held">${more}</a>`);
  },
);

test('days that ended and are not closed wait for a person, once a close is overdue', async () => {
  const calendar = new CloseCalendar({ timezone: 'UTC', pattern: '5 0 * * *' });
  const { open, read } = await openConsole({
    overdueFrom: (first) => calendar.overdueFrom(first, open.at),
  });
  await open.deliver({ id: 'strange', stream: 'weather' });
  for (const time of ['00:00:30', '00:06:00', '02:00:00']) {
    open.at = Date.parse(`2025-11-21T${time}Z`);
    expect(words(await read())).not.toContain('not closed');
  }
  open.at = Date.parse('2025-11-21T02:10:00Z');
  expect(words(await read())).toMatch(
    /warning day 2025-11-20 2 h The day has ended and is not closed: close it\./,
  );
  open.at = Date.parse('2025-11-23T09:00:00Z');
  const page = await read();
  expect(words(page)).toContain('3 days have ended and are not closed.');
  expect(page).toContain('<a href="/console/close/2025-11-22">days 2025-11-20 to 2025-11-22</a>');
});

test('every unsigned day waits for a person, however many newer days are signed', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(1));
  for (let index = 0; index < 10; index += 1) {
    const day = dayNumber(index);
    await open.record(closeOf(open, { day, cutOffAt: open.at + 1 }));
    open.at += 1_000;
  }
  for (const { day, report_hash: reportHash } of closesOf(open).slice(1)) {
    const signed = { kind: 'sign', day, reportHash, reason: 'seen' } as const;
    await open.decide({ ...signed, role: 'preparer' }, 'olga');
    await open.decide({ ...signed, role: 'reviewer' }, 'otto');
  }
  const text = words(await read());
  expect(text).toContain('day 2025-11-20');
  expect(text).toMatch(/The report \(.*\) waits for its preparer\./);
  expect(text).not.toContain('day 2025-11-21');
});

test('a hold that has a break is listed once', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(1, { memo: '88' }));
  const text = words(await read());
  expect(text).toContain('unattributed memo');
  expect(text).not.toContain('held: unattributed memo');
});

test('a break says who looks after it, and its severity before age raised it', async () => {
  const { open, read } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = open.openBreak('quarantined');
  await open.decide({ kind: 'assign', breakId: id, assignee: 'night desk', reason: 'on duty' });
  await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' });
  const escalation = { infoToWarningAfterMs: null, warningToCriticalAfterMs: 1_000 };
  await open.run(0, { stale: { depositMs: null, withdrawalMs: 1_000 }, escalation });
  expect(words(await read())).toMatch(
    /critical quarantined investigating night desk warning at first \d+ s /,
  );
});

test('a credit that left the chain is shown with whether the feed has reversed it', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.deliver(service.incoming('rollback'));
  const waits = words(await read());
  expect(waits).toContain('critical reversal after credit not reversed in the feed yet');
  await verifyWith(open, { status: 'rolledback' });
  const when = new Date(open.at).toISOString().slice(0, 19).replace('T', ' ');
  // The look before this one took seconds by the test's clock, and is shared for as long as that asks.
  open.at += 60_000;
  const done = words(await read());
  expect(done).toContain(`critical reversal after credit reversed in the feed, ${when} UTC`);
  expect(done).not.toContain('not reversed');
});

test('the documentation names the types that the list leaves out, and conservation is none', async () => {
  const { text: page } = readPage('docs/how-to/work-in-the-console.md');
  const [, sentence = ''] = /close by themselves: ([^.]*)\./.exec(page) ?? [];
  const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, type]) => type);
  const { open, service, read } = await openConsole();
  expect(named).toEqual([
    'missing_notification',
    'status_mismatch',
    'amount_changed',
    'delivery_backlog',
  ]);
  await open.deliver(service.confirmed(1));
  await open.deliver(service.chain('transaction', { balanceChanges: [change('90')] }));
  await open.unboundedRun();
  const list = words(await read());
  expect(list).toMatch(/Needs a person warning conservation \d+ s /);
  expect(list).not.toContain('young break');
});

test('a sentence shows each of its amounts in the asset’s unit', async () => {
  const { open, service, read } = await openConsole();
  const ether = (amount: string) => ({ balanceChanges: [change(amount, decimals(18))] });
  await open.deliver(service.confirmed(1, ether('1000000000000000000')));
  await open.deliver(service.chain('transaction', ether('999999999999999990')));
  await open.unboundedRun();
  const text = words(await read());
  expect(text).toContain('the books moved 1 ETH where the chain moved 0.99999999999999999 ETH');
  expect(text).not.toContain('moved 999999999999999990');
});

test('a halt waits for a person until it ends', async () => {
  const { open, read } = await openConsole();
  const scope = { kind: 'asset', asset: 'ethereum:ETH' as never } as const;
  await open.decide({ kind: 'halt', scope, reason: 'the chain forks' });
  expect(words(await read())).toContain(
    'credits are halted 1 s No deposit of asset ethereum:ETH is credited; ann set the policy last.',
  );
  await open.decide({ kind: 'resume', scope, reason: 'it ended' });
  open.at += 60_000;
  expect(words(await read())).not.toContain('credits are halted');
});

test('a break that may close by itself is listed after an hour, or once a person has it', async () => {
  const { open, read } = await openConsole();
  const backlog = { transactionId: 't1' as never, since: open.at };
  await open.record({ kind: 'backlog', vaultId: 'v1' as never, backlog });
  await open.record({ kind: 'backlog', vaultId: 'v2' as never, backlog });
  const young = words(await read());
  expect(young).toContain('Nothing waits for a person. 2 young breaks may close without a person;');
  expect(young).toMatch(/Open breaks by age .* delivery backlog 2/);
  const [first] = open.rows<{ break_id: string }>('SELECT break_id FROM breaks');
  const breakId = first?.break_id as never;
  await open.decide({ kind: 'assign', breakId, assignee: 'otto', reason: 'on duty' });
  open.at += 60_000;
  const taken = words(await read());
  expect(taken).toContain('warning delivery backlog otto');
  expect(taken).toContain('1 young break may close without a person;');
  open.at += 3_600_000;
  const old = await read();
  expect(old.match(/class="waits warning"/g)).toHaveLength(2);
  expect(old).not.toContain('without a person');
});
