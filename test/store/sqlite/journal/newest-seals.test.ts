import { expect, test } from 'vitest';
import { checkNewestSeals } from '../../../../src/store/sqlite/journal/newest-seals.ts';
import { openLedger, OpenLedger } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

async function sealed(): Promise<OpenLedger> {
  const open = await openLedger();
  const service = new Service();
  for (const hash of ['0x1', '0x2', '0x3']) {
    await open.deliver(service.confirmed(1, { blockchainHash: hash }));
  }
  open.db.exec(
    'DROP TRIGGER journal_keeps; DROP TRIGGER journal_stays; DROP TRIGGER seals_stay; DROP TRIGGER bodies_keep; DROP TRIGGER bodies_stay',
  );
  open.db.pragma('foreign_keys = OFF');
  return open;
}

test('sealed newest facts are sound, and so is an empty store', async () => {
  expect(checkNewestSeals((await sealed()).db)).toBeNull();
  expect(checkNewestSeals(new OpenLedger().db)).toBeNull();
});

const DAMAGES: [what: string, sql: string, says: RegExp][] = [
  ['a body altered', "UPDATE bodies SET content = x'00' WHERE first_seq = 3", /facts 3 to 3/],
  [
    'a block longer than it says',
    'UPDATE bodies SET bytes = 1 WHERE first_seq = 3',
    /facts 3 to 3/,
  ],
  ['a block gone', 'DELETE FROM bodies WHERE first_seq = 3', /facts 3 to 3/],
  [
    'a block that reaches into the next',
    'UPDATE bodies SET last_seq = 3 WHERE first_seq = 2',
    /facts 2 to 2/,
  ],
  ['a time altered', 'UPDATE journal SET recorded_at = 1 WHERE seq = 2', /facts 2 to 2/],
  ['a fact gone', 'DELETE FROM journal WHERE seq = 3', /facts 3 to 3/],
  [
    'a commit gone from between',
    'DELETE FROM seals WHERE commit_number = 3',
    /commit 4 does not follow 2/,
  ],
  ['the last fact gone', 'DELETE FROM journal WHERE seq = 4', /newest facts are not sealed/],
  [
    'the last seal gone',
    'DELETE FROM seals WHERE commit_number = (SELECT max(commit_number) FROM seals)',
    /newest facts are not sealed/,
  ],
];

test.for(DAMAGES)('%s is damage', async ([, sql, says]) => {
  const { db } = await sealed();
  expect(db.prepare(sql).run().changes).toBe(1);
  expect(checkNewestSeals(db)).toMatch(says);
});
