import { describe, expect, test } from 'vitest';
import { auditOfForged, problemsOf, type Forgery } from './forgery.ts';

/** Forgeries of records that a replay of the journal gives again, and of the keys that find them. */
const FORGERIES: Forgery[] = [
  [
    'an amount with a leading zero',
    "UPDATE deposits SET amount = '0100' WHERE amount = '100'",
    /projections: deposits \(hash_id \d+, deposit_id dep_\w+\): amount 0100, replay says 100/,
  ],
  [
    'a deposit’s state',
    "UPDATE deposits SET state = 'credited' WHERE state = 'held'",
    /projections: deposits \(.+\): state credited, replay says held/,
  ],
  [
    'a credit’s amount',
    "UPDATE credits SET amount = '900' WHERE kind = 'credit'",
    /projections: credits \(.+\): amount 900, replay says 100/,
  ],
  [
    'a credit gone',
    "DELETE FROM credits WHERE kind = 'reversal'",
    /projections: credits: missing in the store/,
  ],
  [
    'a notification twice',
    `INSERT INTO notifications SELECT seq + 1000, id, status, stream, type, vault_id, hash_id,
       transaction_id, confirmations, received_at, previous_of_vault FROM notifications LIMIT 1`,
    /keys: notification id "[^"]+" occurs 2 times/,
  ],
  [
    'a notification left out of its vault’s list',
    'UPDATE notifications SET previous_of_vault = NULL',
    /projections: notifications \(seq \d+\): previous_of_vault null, replay says \d+/,
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
    'the key of an on-chain address gone',
    'DELETE FROM keys WHERE space = 4',
    /keys: address 0xab01 is not found by its key/,
  ],
  [
    'an on-chain address',
    "UPDATE deposits SET reported_address = '0xdead' WHERE reported_address = '0xAb01'",
    /projections: deposits \(.+\): reported_address 0xdead, replay says 0xAb01/,
  ],
  [
    'the mark of merged keys',
    'UPDATE keys_merged SET through_seq = 1000000',
    /keys: keys are marked as merged up to 1000000, past the journal's end/,
  ],
  [
    'a notification’s id',
    "UPDATE notifications SET id = 'other' WHERE id = 'ntf-1'",
    /projections: notifications \(.+\): id other, replay says ntf-1/,
  ],
  [
    'a sighting’s epoch',
    'UPDATE sightings SET epoch = 9',
    /projections: sightings \(.+\): epoch 9/,
  ],
  [
    'a movement’s sum',
    "UPDATE movements SET chain = '1'",
    /projections: movements \(.+\): chain 1/,
  ],
  [
    'a count of movements',
    'UPDATE movement_counts SET count = 9',
    /projections: movement_counts \(.+\): count 9/,
  ],
  [
    'a count of deposits',
    'UPDATE deposit_counts SET count = 9',
    /projections: deposit_counts \(.+\): count 9/,
  ],
  [
    'a withdrawal’s status',
    "UPDATE withdrawals SET status = 'failed'",
    /projections: withdrawals \(.+\): status failed, replay says mined/,
  ],
  [
    'a break resolved',
    "UPDATE breaks SET state = 'resolved' WHERE state = 'open'",
    /projections: breaks \(.+\): state resolved, replay says open/,
  ],
  [
    'a break’s history',
    "UPDATE break_events SET actor = 'eve'",
    /projections: break_events \(.+\): actor eve/,
  ],
  [
    'a break’s assignee',
    "UPDATE breaks SET assignee = 'eve' WHERE type = 'malformed'",
    /projections: breaks \(.+\): assignee eve/,
  ],
  [
    'an acknowledgement’s reference',
    "UPDATE acknowledgements SET reference = 'r-2'",
    /projections: acknowledgements \(credit_id crd_\w+\): reference r-2, replay says r-1/,
  ],
  [
    'a quarantined body',
    "UPDATE quarantine SET defect = 'none'",
    /projections: quarantine \(.+\): defect none/,
  ],
  [
    'a run’s count',
    'UPDATE reconciliations SET matched = 99',
    /projections: reconciliations \(.+\): matched 99/,
  ],
  [
    'a restore',
    'UPDATE restores SET feed_length = 99',
    /projections: restores \(.+\): feed_length 99/,
  ],
  ['a policy', "UPDATE policies SET policy = '{}'", /projections: policies \(.+\): policy \{\}/],
  [
    'exemption rules',
    "UPDATE exemptions SET rules = '[]'",
    /projections: exemptions \(.+\): rules \[\]/,
  ],
  [
    'an exempt difference gone',
    'DELETE FROM exempt_differences',
    /projections: exempt_differences: missing in the store/,
  ],
];

describe('an audit finds and names', () => {
  test.for(FORGERIES)('%s', async ([_, sql, names]) => {
    const report = await auditOfForged(sql);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(names);
  });
});
