import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import { AccountId, AddressId, Memo } from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { compareWithdrawal } from '../../../src/domain/withdrawal/comparison.ts';
import type { Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange, sent } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, ETH, MINED, Service } from '../../store/webhook.ts';
import { LATE, shownOutcome } from '../outcome.ts';
import type { Outcome } from '../../../src/domain/deposit/record/comparison.ts';
import { withdrawal } from '../records.ts';

const WITHDRAWN = { 'v1/acc-1/adr-1 ethereum:ETH': '-32' };
const ORDER = { orderId: 'order-1', destinationAddress: '0xdead' };

function knows(open: OpenLedger, more: Partial<CustodyTransaction> = {}) {
  const transaction = sent({ ...ORDER, updatedAt: open.at, ...more });
  return open.record({ kind: 'outgoing', transaction, graceMs: 0 });
}

/** `matched`, or what the break says. */
function said(outcome: Outcome): string {
  return outcome.kind === 'break' ? (outcome.finding.detail ?? '') : outcome.kind;
}

/** The counterparts of the vault's position: who received what. */
function counterparts(open: OpenLedger): object {
  const rows = open.rows<{ kind: string; amount: string }>(
    `SELECT kind, amount FROM balances JOIN ledger_accounts USING (ledger_account)
     WHERE kind <> 'position' AND amount <> '0'`,
  );
  return Object.fromEntries(rows.map(({ kind, amount }) => [kind, amount]));
}

describe('a mined webhook with the right sum, which the custody API books otherwise', () => {
  test.for<[why: string, balanceChanges: unknown[]]>([
    ['another fee', [change('-1', AT_ADDRESS), change('-31', { ...AT_ADDRESS, tags: ['fee'] })]],
    ['no fee', [change('-32', AT_ADDRESS)]],
    [
      'another account and address',
      MINED.map((one) => ({ ...one, account: { id: 'acc-2' }, address: { id: 'adr-2' } })),
    ],
  ])('%s: the books follow the API, and its break stays open', async ([_, balanceChanges]) => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined', { balanceChanges }));
    await knows(open);
    expect(counterparts(open)).toEqual({ world: '30', 'network-fees': '2' });
    expect(open.positions()).toEqual(WITHDRAWN);
    expect((await knows(open)).kind).toBe('unchanged');
    expect(open.openBreaks()).toEqual(['amount_mismatch']);
    expect(open.openBreak('amount_mismatch').severity).toBe('critical');
  });

  const at = (account: string | null, address: string | null): Partial<BalanceChange> => ({
    accountId: account === null ? null : AccountId(account),
    addressId: address === null ? null : AddressId(address),
  });
  const ELSEWHERE =
    'the custody API shows the entries at other accounts or addresses than the notifications do';
  const fee = (more: Partial<BalanceChange> = {}) => balanceChange(-2n, { kind: 'fee', ...more });

  test.for<[why: string, ours: BalanceChange[], theirs: BalanceChange[], is: string]>([
    ['in another order', [fee(), balanceChange(-30n)], [balanceChange(-30n), fee()], 'matched'],
    [
      'in more entries',
      [balanceChange(-30n), fee()],
      [balanceChange(-10n), balanceChange(-20n), fee()],
      'matched',
    ],
    [
      'with the change as an entry of its own',
      [balanceChange(-30n), fee()],
      [balanceChange(-40n), balanceChange(10n, { kind: 'change' }), fee()],
      'matched',
    ],
    [
      'beside entries of another address that cancel each other out',
      [balanceChange(-30n), fee()],
      [
        balanceChange(-30n),
        fee(),
        balanceChange(-5n, at('acc-1', 'adr-2')),
        balanceChange(5n, { kind: 'change', ...at('acc-1', 'adr-2') }),
      ],
      'matched',
    ],
    [
      'at another level',
      [balanceChange(-30n, at(null, null)), fee(at(null, null))],
      [balanceChange(-30n), fee()],
      'matched',
    ],
    [
      'at another level, all entries named by account and one by address',
      [balanceChange(-30n, at('acc-1', null)), fee(at('acc-1', 'adr-1'))],
      [balanceChange(-30n, at('acc-1', null)), fee(at('acc-1', 'adr-2'))],
      'matched',
    ],
    [
      'where one entry names no account',
      [balanceChange(-30n, at(null, null)), fee(at('acc-1', null))],
      [balanceChange(-30n, at(null, null)), fee(at('acc-2', null))],
      'matched',
    ],
    [
      'at another account, by account',
      [balanceChange(-30n, at('acc-2', null)), fee(at('acc-1', null))],
      [balanceChange(-30n, at('acc-1', null)), fee(at('acc-1', null))],
      ELSEWHERE,
    ],
    [
      'at another address of the account',
      [balanceChange(-30n, at('acc-1', 'adr-2')), fee()],
      [balanceChange(-30n), fee()],
      ELSEWHERE,
    ],
    [
      'at the same address under another account',
      [balanceChange(-30n, at('acc-2', 'adr-1')), fee()],
      [balanceChange(-30n), fee()],
      ELSEWHERE,
    ],
    [
      'with another fee',
      [balanceChange(-31n), fee({ amount: Amount(-1n) })],
      [balanceChange(-30n), fee()],
      `the custody API says the fee was -2 ${ETH}, the notifications say -1`,
    ],
    [
      'with a rebate of its own',
      [balanceChange(-30n), fee()],
      [balanceChange(-31n), balanceChange(1n, { kind: 'rebate' }), fee()],
      `the custody API says the rebate was 1 ${ETH}, the notifications say 0`,
    ],
    [
      'with a mint of its own',
      [balanceChange(-30n), fee()],
      [balanceChange(-31n), balanceChange(1n, { kind: 'mint' }), fee()],
      `the custody API says the mint was 1 ${ETH}, the notifications say 0`,
    ],
  ])('%s', ([, ours, theirs, is]) => {
    const outcome = compareWithdrawal(withdrawal('mined', ours), sent({ changes: theirs }), LATE);
    expect(said(outcome)).toBe(is);
  });
});

describe('webhooks that name another order than the custody API', () => {
  test('the withdrawal follows the API without another entry, and its break stays open', async () => {
    const open = await openLedger();
    const forged = { orderId: 'order-2', destinationAddress: '0xbad' };
    await open.deliver(new Service().outgoing('mined', forged));
    await knows(open);
    expect(open.rows('SELECT order_id, destination_address, custody FROM withdrawals')).toEqual([
      { order_id: 'order-1', destination_address: '0xdead', custody: 'known' },
    ]);
    expect(open.rows('SELECT entry_id FROM entries')).toHaveLength(1);
    expect(open.positions()).toEqual(WITHDRAWN);
    expect((await knows(open)).kind).toBe('unchanged');
    const { severity, expected, detail } = open.openBreak('status_mismatch');
    expect([severity, expected]).toEqual(['critical', null]);
    expect(detail).toContain(
      'the custody API says orderId "order-1", the notifications say "order-2"',
    );
  });

  test.for<
    [why: string, ours: Partial<Withdrawal>, theirs: Partial<CustodyTransaction>, is: string]
  >([
    ['another order', { orderId: 'a' }, { orderId: 'b' }, 'warning status_mismatch'],
    [
      'another recipient',
      { destinationAddress: '0xa' },
      { destinationAddress: '0xb' },
      'warning status_mismatch',
    ],
    ['another memo', { memo: Memo('1') }, { memo: Memo('2') }, 'warning status_mismatch'],
    [
      'the recipient in other letters',
      { destinationAddress: '0xAB' },
      { destinationAddress: '0xab' },
      'matched',
    ],
    ['no order', { orderId: 'a' }, { orderId: null }, 'matched'],
    ['an order that no webhook named', { orderId: null }, { orderId: 'b' }, 'matched'],
  ])('%s', ([, ours, theirs, is]) => {
    const known = { ...withdrawal('submitted'), ...ours };
    const record = sent({ status: 'submitted', ...theirs });
    expect(shownOutcome(compareWithdrawal(known, record, LATE))).toBe(is);
  });

  test.for([
    ['whole up to 100 characters', 100, 'x'.repeat(100)],
    ['cut after 100', 101, `${'x'.repeat(100)}…`],
  ] as const)('a long name is shown %s', ([, length, shown]) => {
    const known = { ...withdrawal('submitted'), orderId: 'x'.repeat(length) };
    const outcome = compareWithdrawal(known, sent({ status: 'submitted', orderId: 'b' }), LATE);
    expect(said(outcome)).toBe(
      `the custody API says orderId "b", the notifications say "${shown}"`,
    );
  });
});
