import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyToJournal } from '../../../src/commands/store/copy-journal.ts';
import { verifyJournal } from '../../../src/commands/store/verify-journal.ts';
import { decodeAgain } from '../../../src/intake/decode.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { runProgram } from '../../e2e/program.ts';
import { OpenLedger, temporaryPath } from '../../store/open-ledger.ts';
import { newJournal, receiver } from '../../store/postgres/receiver.ts';
import { Service } from '../../store/webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };
const COMMITS = 3;

/** What a person with every right in the database can do, and what the audit then says. */
const DAMAGE: readonly (readonly [name: string, sql: string, problem: RegExp])[] = [
  [
    "a byte of a commit's bodies is changed",
    'UPDATE bodies SET content = set_byte(content, 12, 255 - get_byte(content, 12)) WHERE first_seq = 2',
    /journal position 2 cannot be read/,
  ],
  [
    "a commit's bodies are missing",
    'DELETE FROM bodies WHERE first_seq = (SELECT max(first_seq) FROM bodies)',
    /journal position 3 cannot be read/,
  ],
  ["a fact's time is changed", 'UPDATE journal SET recorded_at = recorded_at + 1', /commit 1/],
  ['a fact is missing', 'DELETE FROM journal WHERE seq = 2', /commit 2 lacks some of the facts/],
  ['a commit in the middle is missing', 'DELETE FROM seals WHERE commit_number = 2', /commit 3/],
  [
    'the last commit is missing',
    'DELETE FROM seals WHERE commit_number = 3',
    /seals end at commit 2, but its row of the owner names commit 3/,
  ],
];

describe.runIf(isInstalled)('an audit of a shared journal', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  /** A journal of a few commits, one fact each; its schema. */
  async function filled(): Promise<{
    schema: string;
    audit: () => ReturnType<typeof verifyJournal>;
  }> {
    const path = temporaryPath();
    const open = new OpenLedger(path);
    for (let number = 1; number <= COMMITS; number += 1) {
      await open.deliver(new Service().confirmed(number));
    }
    open.close();
    const address = await newJournal(cluster);
    await copyToJournal(path, receiver(address, 'copy'), SILENT);
    const audit = () =>
      verifyJournal(receiver(address, 'verify'), { decode: decodeAgain, progress: SILENT });
    return { schema: address.schema, audit };
  }

  test('finds a whole journal sound, and every table of a replica made from it', async () => {
    const { audit } = await filled();
    const { sound, facts, checks } = await audit();
    expect({ sound, facts }).toEqual({ sound: true, facts: COMMITS });
    expect(checks.map(({ check }) => check)).toEqual([
      'shared_journal',
      'integrity',
      'hash_chain',
      'entries_balance',
      'balances',
      'closes',
      'keys',
      'projections',
    ]);
  });

  test.each(DAMAGE)('finds that %s', async (_, sql, problem) => {
    const { schema, audit } = await filled();
    await cluster.sql(
      `SET search_path = ${schema}; SET session_replication_role = replica; ${sql}`,
    );
    const { sound, checks } = await audit();
    expect(sound).toBe(false);
    expect(checks.map(({ check }) => check)).toEqual(['shared_journal']);
    expect(checks[0]?.problems.join()).toMatch(problem);
  });

  test('is a command, which says what to do about a damaged journal', async () => {
    const { schema } = await filled();
    const store = cluster.url('postgres', `?schema=${schema}`);
    const sound = await runProgram('verify', '--store', store);
    expect([sound.code, sound.stderr]).toEqual([0, '']);
    expect(sound.stdout).toMatch(
      /^postgres:\/\/admin@[^ ]+ \(schema journal_\d+\): 3 facts\n {2}ok {6}shared journal: .*\(3\)\n/,
    );
    await cluster.sql(
      `SET search_path = ${schema}; SET session_replication_role = replica; DELETE FROM bodies`,
    );
    const damaged = await runProgram('verify', '--store', store);
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/FAILED {2}shared journal/);
    expect(damaged.stdout).toContain('Audit the replica of each receiver with --store FILE');
  });
});

test.each([
  [['rebuild'], /PostgreSQL holds the journal alone, without tables to rebuild/],
  [['backup', '--out', 'copy.db'], /PostgreSQL's own tools back up/],
])('%j of a database is refused with what to do', async (command, message) => {
  const { code, stderr } = await runProgram(...command, '--store', 'postgres://a@db1/books');
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
