import { expect, test } from 'vitest';
import { summaryText, type Summary } from '../../../../src/commands/demo/end/summary.ts';

const ENDED: Summary = {
  notifications: { accepted: 10, duplicates: 0, quarantined: 0 },
  deposits: { settled: 3 },
  credits: { credits: 3, reversals: 0, acknowledged: 3, refused: 0 },
  creditLatency: null,
  outstanding: { deposits: 0, acknowledgements: 0, reversals: 0, incomplete: null },
  breaks: { open: 0, resolved: 1 },
  tieOut: { balanced: true, assets: [] },
};

test.each([
  [0, 0, 'nothing; no deposit is held and no break is open'],
  [0, 1, 'nothing; 0 held deposits and 1 open break wait for a person'],
  [1, 2, 'nothing; 1 held deposit and 2 open breaks wait for a person'],
])('an end with %i held deposits and %i open breaks leaves %s', (held, open, text) => {
  const summary = { ...ENDED, deposits: { settled: 3, held }, breaks: { open, resolved: 1 } };
  expect(summaryText(summary)).toContain(`outstanding    ${text}`);
});
