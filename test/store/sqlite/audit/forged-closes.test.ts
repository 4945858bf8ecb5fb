import { describe, expect, test } from 'vitest';
import { auditOfForged, problemsOf, type Forgery } from './forgery.ts';

/** Forgeries of closed days, their totals and signatures, and what the custody API counted for them. */
const FORGERIES: Forgery[] = [
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
    /projections: daily_closes \(.+\): last_posted_at 0/,
  ],
  [
    'a signature’s report',
    `UPDATE close_signatures SET report_hash = 'x' WHERE role = 'reviewer'`,
    /closes: 2025-11-20: the reviewer signed another report/,
  ],
  [
    'a signature’s person',
    `UPDATE close_signatures SET person = 'eve' WHERE role = 'reviewer'`,
    /projections: close_signatures \(.+\): person eve, replay says bob/,
  ],
  [
    'a custody effect',
    `UPDATE custody_effects SET amount = '7'`,
    /projections: custody_effects \(.+\): amount 7, replay says 100/,
  ],
];

describe('an audit finds and names', () => {
  test.for(FORGERIES)('%s', async ([_, sql, names]) => {
    const report = await auditOfForged(sql);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(names);
  });
});
