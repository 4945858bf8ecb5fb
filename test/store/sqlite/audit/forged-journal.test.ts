import { describe, expect, test } from 'vitest';
import { auditOfForged, problemsOf, type Forgery } from './forgery.ts';

const NOTIFICATION = "(SELECT min(seq) FROM journal WHERE kind = 'notification')";
const DECISION = "(SELECT min(seq) FROM journal WHERE kind = 'decision')";
/** A column of a block that holds the bodies of two facts. */
const TOGETHER = (column: string): string =>
  `(SELECT ${column} FROM bodies WHERE last_seq = first_seq + 1 LIMIT 1)`;
const RECORD = "(SELECT min(seq) FROM journal WHERE kind = 'custody-record')";

/** Forgeries of facts, of the blocks that hold their bodies, and of seals. */
const FORGERIES: Forgery[] = [
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
];

describe('an audit finds and names', () => {
  test.for(FORGERIES)('%s', async ([_, sql, names]) => {
    const report = await auditOfForged(sql);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(names);
  });
});
