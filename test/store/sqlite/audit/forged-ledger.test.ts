import { describe, expect, test } from 'vitest';
import { auditOfForged, problemsOf, type Forgery } from './forgery.ts';

/** Forgeries of entries, postings, ledger accounts and balances. */
const FORGERIES: Forgery[] = [
  [
    'a posting’s amount',
    "UPDATE postings SET amount = '101' WHERE amount = '100' AND line = 0",
    /entries_balance: entry \d+ is off by 1 ethereum:ETH/,
  ],
  [
    'a posting’s amount into nonsense',
    "UPDATE postings SET amount = 'much' WHERE amount = '100' AND line = 0",
    /entries_balance: entry \d+.*much/,
  ],
  [
    'a posting gone',
    "DELETE FROM postings WHERE amount = '100' AND line = 0",
    /entries_balance: entry \d+ is off by -100/,
  ],
  [
    'both sides of an entry',
    "UPDATE postings SET amount = CASE line WHEN 0 THEN '7' ELSE '-7' END WHERE entry_id = (SELECT min(entry_id) FROM postings)",
    /projections: postings \(.+\): amount 7, replay says 100/,
  ],
  [
    'a posting’s account',
    'UPDATE postings SET ledger_account = 99 WHERE line = 0',
    /integrity: postings row/,
  ],
  [
    'a balance',
    "UPDATE balances SET amount = '1' WHERE ledger_account = 1",
    /balances: ledger account 1: balance 1/,
  ],
  [
    'a balance into nonsense',
    "UPDATE balances SET amount = '' WHERE ledger_account = 1",
    /balances: ledger account 1/,
  ],
  ['a balance gone', 'DELETE FROM balances WHERE ledger_account = 1', /projections: balances/],
  [
    'an entry’s hash',
    "UPDATE entries SET blockchain_hash = '0xff'",
    /projections: entries \(.+\): blockchain_hash 0xff/,
  ],
  [
    'a ledger account',
    "UPDATE ledger_accounts SET address_id = 'adr-x' WHERE ledger_account = 1",
    /projections: ledger_accounts \(.+\): address_id adr-x/,
  ],
];

describe('an audit finds and names', () => {
  test.for(FORGERIES)('%s', async ([_, sql, names]) => {
    const report = await auditOfForged(sql);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(names);
  });
});
