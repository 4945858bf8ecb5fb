import Sqlite from 'better-sqlite3';
import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../src/domain/ids.ts';
import { verify, type AuditReport } from '../../../../src/store/sqlite/audit/verify.ts';
import { closeOf, closesOf } from '../../close/closing.ts';
import { verifyWith } from '../../evidence.ts';
import { openLedgerFile, SIX_DEEP, type OpenLedger } from '../../open-ledger.ts';
import { AT_ADDRESS, change, decimals, ETH, HASH, Service } from '../../webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

function audit(path: string): AuditReport {
  return verify(path, { decode, progress: SILENT });
}

/** `check: problem` for everything that an audit found. */
function problemsOf(report: AuditReport): string[] {
  return report.checks.flatMap(({ check, problems }) => problems.map((one) => `${check}: ${one}`));
}

/** A store with something in every table. */
async function livedIn(): Promise<{ open: OpenLedger; path: string }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  await open.deliver(service.confirmed(1), service.confirmed(6), service.confirmed(6));
  await open.deliver(service.chain('transaction'));
  await verifyWith(open);
  await open.decide({ kind: 'acknowledge', creditId: open.lastCreditId(), reference: 'r-1' });
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
  const memo = { memo: 'bob', blockchainHash: '0xc3', transactionId: 'dep-3' };
  await open.deliver(service.confirmed(1, memo));
  await open.deliver('{"id":"q-1","stream":"unheard"}', 'not json', {
    ...service.confirmed(1),
    id: 'ntf-1',
  });
  await open.deliverTogether(
    service.confirmed(1, { blockchainHash: '0xd4' }),
    service.chain('transaction', {
      blockchainHash: '0xd4',
      balanceChanges: [change('90', AT_ADDRESS)],
    }),
  );
  await open.run();
  const exemption = { rule: 'known', blockchainHash: '0xd4', reason: 'x', owner: 'fin' };
  const rules = [{ ...exemption, until: Number.MAX_SAFE_INTEGER }];
  await open.decide({ kind: 'exemptions', rules }, 'config');
  await open.run();
  await open.decide({ kind: 'restored', reason: 'put back from a backup' }, 'restore');
  await open.setPolicy({ ...SIX_DEEP, default: { confirmations: 7 } });
  await closedTwice(open);
  return { open, path };
}

/**
 * Two days closed: the first compared with the custody API and signed by both, as before exempt
 * differences were counted; the second with that count.
 */
async function closedTwice(open: OpenLedger): Promise<void> {
  const [one, two] = ['2025-11-20', '2025-11-21'];
  await open.record(
    closeOf(open, {
      day: one,
      cutOffAt: open.at - 2_000,
      custody: {
        kind: 'read',
        readAt: open.at,
        requests: 1,
        watermark: open.at,
        transactions: 1,
        unreadable: 0,
        counted: [
          {
            transactionId: TransactionId('dep-tx'),
            vaultId: VaultId('v1'),
            network: NetworkKey('ethereum'),
            blockchainHash: BlockchainHash(HASH),
            amounts: [{ asset: AssetId(ETH), amount: Amount(100n) }],
            updatedAt: open.at,
          },
        ],
        pending: [],
      },
    }),
  );
  await open.record(closeOf(open, { day: two, cutOffAt: open.at + 1, exempt: { known: 1 } }));
  const reportHash = closesOf(open)[0]?.report_hash ?? '';
  const sign = { kind: 'sign', day: one, reportHash, reason: 'seen' } as const;
  await open.decide({ ...sign, role: 'preparer' }, 'ann');
  await open.decide({ ...sign, role: 'reviewer' }, 'bob');
  const balanceChanges = [{ ...change('1'), ...decimals(6) }];
  const seen = new Service().incoming('mempool', { blockchainHash: '0xdec', balanceChanges });
  await open.deliver({ ...seen, id: 'decimals' });
  const asset = AssetId('ethereum:ETH');
  await open.decide({ kind: 'decimals', asset, decimals: 18, reason: 'as it is' });
}

test('a store with every kind of fact is sound, also while the daemon has it open', async () => {
  const { open, path } = await livedIn();
  const empty = open
    .rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .filter(({ name }) => open.rows(`SELECT 1 FROM ${name} LIMIT 1`).length === 0);
  expect(empty.map(({ name }) => name)).toEqual([]);
  const exempt = closesOf(open).map(({ parsed }) => parsed.exempt);
  expect(exempt).toEqual([undefined, { known: 1 }]);
  const report = audit(path);
  expect(problemsOf(report)).toEqual([]);
  expect(report).toMatchObject({ sound: true, facts: open.journalLength() });
});

test('an empty store is sound', async () => {
  const { path } = await openLedgerFile();
  expect(audit(path).sound).toBe(true);
});

/** Changes a closed store without its triggers and constraints. */
function tamper(path: string, sql: string): void {
  const db = new Sqlite(path);
  const triggers = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.function('replaced', (content, from, to) => {
    const text = inflateSync(content as Uint8Array).toString('utf8');
    return deflateSync(text.replaceAll(String(from), String(to)));
  });
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  const { changes } = db.prepare(sql).run();
  db.close();
  expect(changes).toBeGreaterThan(0);
}

const NOTIFICATION = "(SELECT min(seq) FROM journal WHERE kind = 'notification')";
const DECISION = "(SELECT min(seq) FROM journal WHERE kind = 'decision')";
/** A column of a block that holds the bodies of two facts. */
const TOGETHER = (column: string): string =>
  `(SELECT ${column} FROM bodies WHERE last_seq = first_seq + 1 LIMIT 1)`;
const RECORD = "(SELECT min(seq) FROM journal WHERE kind = 'custody-record')";

/** A forgery, and the problem that the audit must report. */
const FORGERIES: [what: string, sql: string, names: RegExp][] = [
  [
    'a fact’s body',
    `UPDATE bodies SET content = replaced(content, '"100"', '"900"') WHERE ${NOTIFICATION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a block of bodies into nonsense',
    `UPDATE bodies SET content = x'00' WHERE ${NOTIFICATION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a block of bodies into a longer one',
    `UPDATE bodies SET content = replaced(content, '"100"', '"100000"') WHERE ${NOTIFICATION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a block of bodies gone',
    `DELETE FROM bodies WHERE ${NOTIFICATION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'the span of a body',
    `UPDATE journal SET body_start = 1 WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'the span of a body, past the end of its block',
    `UPDATE journal SET body_bytes = body_bytes + 1 WHERE seq = ${TOGETHER('last_seq')}`,
    /hash_chain: commit \d+.*altered/,
  ],
  [
    'the span of a body, before the beginning of its block',
    `UPDATE journal SET body_start = -body_bytes WHERE seq = ${TOGETHER('last_seq')}`,
    /hash_chain: commit \d+.*altered/,
  ],
  [
    'the length of a block of bodies',
    `UPDATE bodies SET bytes = bytes + 1 WHERE ${NOTIFICATION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a second body for the last fact of a block',
    `INSERT INTO bodies SELECT last_seq, last_seq, bytes, replaced(content, '"90"', '"91"')
     FROM bodies WHERE first_seq = ${TOGETHER('first_seq')}`,
    /hash_chain: commit \d+.*altered/,
  ],
  [
    'a decision into nonsense',
    `UPDATE bodies SET content = x'00' WHERE ${DECISION} BETWEEN first_seq AND last_seq`,
    /hash_chain: commit 1.*altered/,
  ],
  [
    'a custody record into another',
    `UPDATE bodies SET content = replaced(content, ':', ';') WHERE ${RECORD} BETWEEN first_seq AND last_seq`,
    /hash_chain: .*altered/,
  ],
  [
    'a fact’s time',
    `UPDATE journal SET recorded_at = recorded_at + 1 WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a fact’s time to one before 1970',
    `UPDATE journal SET recorded_at = -1 WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a fact’s kind',
    `UPDATE journal SET kind = 'refused' WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a decision’s actor',
    `UPDATE journal SET detail = 'eve' WHERE seq = ${DECISION}`,
    /hash_chain: commit 1.*altered/,
  ],
  [
    'an added detail',
    `UPDATE journal SET detail = '' WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2.*altered/,
  ],
  [
    'a fact gone',
    `DELETE FROM journal WHERE seq = ${NOTIFICATION}`,
    /hash_chain: commit 2 lacks facts/,
  ],
  [
    'a fact added',
    `INSERT INTO journal SELECT max(seq) + 1, 'refused', 1, 'x', 0, 0 FROM journal`,
    /hash_chain: facts after position \d+ are not sealed/,
  ],
  [
    'two facts swapped',
    `UPDATE journal SET
       body_start = CASE body_start WHEN 0 THEN body_bytes ELSE 0 END,
       body_bytes = CASE body_start WHEN 0 THEN ${TOGETHER('bytes')} - body_bytes ELSE body_start END
     WHERE seq BETWEEN ${TOGETHER('first_seq')} AND ${TOGETHER('last_seq')}`,
    /hash_chain: commit \d+.*altered/,
  ],
  [
    'a seal’s hash',
    'UPDATE seals SET hash = zeroblob(32) WHERE commit_number = 3',
    /hash_chain: commit 3/,
  ],
  [
    'a seal’s predecessor',
    'UPDATE seals SET previous_hash = zeroblob(32) WHERE commit_number = 3',
    /hash_chain: commit 3 does not have the hash of the commit before it/,
  ],
  [
    'a seal’s range',
    'UPDATE seals SET last_seq = last_seq + 1 WHERE commit_number = 3',
    /hash_chain: commit [34]/,
  ],
  [
    'a seal’s time',
    'UPDATE seals SET sealed_at = sealed_at + 1 WHERE commit_number = 3',
    /hash_chain: commit 3/,
  ],
  [
    'a seal gone',
    'DELETE FROM seals WHERE commit_number = 3',
    /hash_chain: commit 4: the commit before it is missing/,
  ],
  [
    'the last seal gone',
    'DELETE FROM seals WHERE commit_number = (SELECT max(commit_number) FROM seals)',
    /hash_chain: facts after position \d+ are not sealed/,
  ],
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
    /projections: postings: amount 7, replay says 100/,
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
    'a closed day’s report',
    `UPDATE daily_closes SET report = replace(report, '"balanced"', '"Balanced"') || ' ' WHERE day = '2025-11-20'`,
    /closes: 2025-11-20: its report is not the sealed one/,
  ],
  [
    'a closed day’s hash with its report',
    `UPDATE daily_closes SET report = '{}', report_hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE day = '2025-11-20'`,
    /closes: 2025-11-21: does not have the hash of the report before it/,
  ],
  [
    'a closed day gone',
    `DELETE FROM daily_closes WHERE day = '2025-11-20'`,
    /closes: 2025-11-21: does not have the hash of the report before it/,
  ],
  [
    'a closed day’s commit',
    `UPDATE daily_closes SET commit_number = 1 WHERE day = '2025-11-20'`,
    /closes: 2025-11-20: names commit 1, which the journal does not have/,
  ],
  [
    'a closing',
    `UPDATE daily_totals SET closing = closing || '0' WHERE day = '2025-11-20' AND closing <> '0'`,
    /closes: 2025-11-20: .* rolls forward to/,
  ],
  [
    'an opening with its closing',
    `UPDATE daily_totals SET opening = '1' || opening, closing = '1' || closing WHERE day = '2025-11-21' AND closing = opening AND opening NOT LIKE '-%'`,
    /closes: 2025-11-21: .* opens with/,
  ],
  [
    'a position’s total at a close',
    `UPDATE position_totals SET amount = amount || '0' WHERE day = '2025-11-20' AND amount <> '0'`,
    /closes: 2025-11-20: positions of .* sum to/,
  ],
  [
    'a position at a close gone',
    `DELETE FROM position_totals WHERE day = '2025-11-20'`,
    /projections: position_totals: missing in the store/,
  ],
  [
    'the posting times of a closed day',
    `UPDATE daily_closes SET last_posted_at = 0 WHERE day = '2025-11-20'`,
    /projections: daily_closes: last_posted_at 0/,
  ],
  [
    'a signature’s report',
    `UPDATE close_signatures SET report_hash = 'x' WHERE role = 'reviewer'`,
    /closes: 2025-11-20: the reviewer signed another report/,
  ],
  [
    'a signature’s person',
    `UPDATE close_signatures SET person = 'eve' WHERE role = 'reviewer'`,
    /projections: close_signatures: person eve, replay says bob/,
  ],
  [
    'a custody effect',
    `UPDATE custody_effects SET amount = '7'`,
    /projections: custody_effects: amount 7, replay says 100/,
  ],
  [
    'an amount with a leading zero',
    "UPDATE deposits SET amount = '0100' WHERE amount = '100'",
    /projections: deposits: amount 0100, replay says 100/,
  ],
  [
    'a deposit’s state',
    "UPDATE deposits SET state = 'credited' WHERE state = 'held'",
    /projections: deposits: state credited, replay says held/,
  ],
  [
    'an entry’s hash',
    "UPDATE entries SET blockchain_hash = '0xff'",
    /projections: entries: blockchain_hash 0xff/,
  ],
  [
    'a credit’s amount',
    "UPDATE credits SET amount = '900' WHERE kind = 'credit'",
    /projections: credits: amount 900, replay says 100/,
  ],
  [
    'a credit gone',
    "DELETE FROM credits WHERE kind = 'reversal'",
    /projections: credits: missing in the store/,
  ],
  [
    'a notification twice',
    `INSERT INTO notifications SELECT seq + 1000, id, status, stream, type, vault_id, hash_id,
       transaction_id, confirmations, received_at FROM notifications LIMIT 1`,
    /keys: notification id "[^"]+" occurs 2 times/,
  ],
  [
    'a key gone',
    'DELETE FROM keys WHERE space = 1',
    /keys: notification ntf-[^ ]+ is not found by its key/,
  ],
  [
    'a key of another row',
    'UPDATE keys SET row = 1',
    /keys: a key of [a-z]+ 1 does not belong to that row/,
  ],
  [
    'the mark of merged keys',
    'UPDATE keys_merged SET through_seq = 1000000',
    /keys: keys are marked as merged up to 1000000, past the journal's end/,
  ],
  [
    'a notification’s id',
    "UPDATE notifications SET id = 'other' WHERE id = 'ntf-1'",
    /projections: notifications: id other, replay says ntf-1/,
  ],
  ['a sighting’s epoch', 'UPDATE sightings SET epoch = 9', /projections: sightings: epoch 9/],
  ['a movement’s sum', "UPDATE movements SET chain = '1'", /projections: movements: chain 1/],
  [
    'a count of movements',
    'UPDATE movement_counts SET count = 9',
    /projections: movement_counts: count 9/,
  ],
  [
    'a count of deposits',
    'UPDATE deposit_counts SET count = 9',
    /projections: deposit_counts: count 9/,
  ],
  [
    'a withdrawal’s status',
    "UPDATE withdrawals SET status = 'failed'",
    /projections: withdrawals: status failed, replay says mined/,
  ],
  [
    'a break resolved',
    "UPDATE breaks SET state = 'resolved' WHERE state = 'open'",
    /projections: breaks: state resolved, replay says open/,
  ],
  [
    'a break’s history',
    "UPDATE break_events SET actor = 'eve'",
    /projections: break_events: actor eve/,
  ],
  [
    'a break’s assignee',
    "UPDATE breaks SET assignee = 'eve' WHERE type = 'malformed'",
    /projections: breaks: assignee eve/,
  ],
  [
    'an acknowledgement’s reference',
    "UPDATE acknowledgements SET reference = 'r-2'",
    /projections: acknowledgements: reference r-2, replay says r-1/,
  ],
  [
    'a quarantined body',
    "UPDATE quarantine SET defect = 'none'",
    /projections: quarantine: defect none/,
  ],
  [
    'a run’s count',
    'UPDATE reconciliations SET matched = 99',
    /projections: reconciliations: matched 99/,
  ],
  ['a restore', 'UPDATE restores SET feed_length = 99', /projections: restores: feed_length 99/],
  ['a policy', "UPDATE policies SET policy = '{}'", /projections: policies: policy \{\}/],
  ['exemption rules', "UPDATE exemptions SET rules = '[]'", /projections: exemptions: rules \[\]/],
  [
    'an exempt difference gone',
    'DELETE FROM exempt_differences',
    /projections: exempt_differences: missing in the store/,
  ],
  [
    'a ledger account',
    "UPDATE ledger_accounts SET address_id = 'adr-x' WHERE ledger_account = 1",
    /projections: ledger_accounts: address_id adr-x/,
  ],
];

describe('an audit finds and names', () => {
  test.for(FORGERIES)('%s', async ([_, sql, names]) => {
    const { open, path } = await livedIn();
    open.close();
    tamper(path, sql);
    const report = audit(path);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(names);
  });

  test('a missing append-only trigger', async () => {
    const { open, path } = await livedIn();
    open.close();
    const db = new Sqlite(path);
    db.exec('DROP TRIGGER journal_keeps');
    db.close();
    const report = audit(path);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(/journal_keeps/);
  });

  test('many problems: it counts all and describes the first 20', async () => {
    const { open, path } = await livedIn();
    const service = new Service();
    const many = Array.from({ length: 30 }, (_, at) =>
      service.confirmed(1, { id: `many-${at}`, blockchainHash: `0x${at}` }),
    );
    await open.deliverTogether(...many);
    open.close();
    tamper(path, 'UPDATE notifications SET received_at = 1');
    const check = audit(path).checks.find((one) => one.check === 'projections');
    expect(check?.problems).toHaveLength(20);
    expect(check?.problemCount).toBeGreaterThan(30);
  });
});
