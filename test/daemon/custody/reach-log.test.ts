import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/custody/call/caller.ts';
import { reachLog } from '../../../src/daemon/custody/reach-log.ts';
import { CUSTODY } from './custody-config.ts';

const CUT: Attempt['failure'] = {
  kind: 'unavailable',
  cause: { kind: 'connection', detail: 'ECONNREFUSED' },
};
const FOREIGN: Attempt['failure'] = { kind: 'malformed', detail: 'no JSON' };
const EARLY: Attempt['failure'] = { kind: 'unavailable', cause: { kind: 'deadline' } };
const SPENT: Attempt['failure'] = { kind: 'rate-budget', retryAtMs: 0 };

const LOST =
  'error: custody API: https://custody.example cannot be reached (ECONNREFUSED): check custody.baseUrl and the network; nothing is verified until it answers';
const STRANGE =
  'error: custody API: what answers at https://custody.example is not the custody API (no JSON): check custody.baseUrl; nothing is verified until it answers';
const BACK = 'info: the custody API answers again';

test.for<[string, Attempt['failure'][], string[]]>([
  ['three failures in a row are logged once', [CUT, CUT, CUT, CUT, CUT], [LOST]],
  ['two failures are not', [CUT, CUT, null, CUT, CUT], []],
  ['an answer after three failures is logged once', [CUT, CUT, CUT, null, null], [LOST, BACK]],
  ['a second outage is logged again', [CUT, CUT, CUT, null, CUT, CUT, CUT], [LOST, BACK, LOST]],
  ['answers of another program are logged', [FOREIGN, FOREIGN, FOREIGN], [STRANGE]],
  ['attempts that the caller ended say nothing', [CUT, EARLY, CUT, EARLY, CUT], [LOST]],
  ['a used-up budget is an answer', [CUT, CUT, SPENT, CUT], []],
])('%s', ([, failures, logged]) => {
  const lines: string[] = [];
  const log = {
    error: (text: string) => lines.push(`error: ${text}`),
    info: (text: string) => lines.push(`info: ${text}`),
  };
  const attempted = reachLog(log, CUSTODY);
  for (const failure of failures) attempted({ failure });
  expect(lines).toEqual(logged);
});
