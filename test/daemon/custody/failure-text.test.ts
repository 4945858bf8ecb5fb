import { expect, test } from 'vitest';
import { failureText } from '../../../src/daemon/custody/failure-text.ts';
import type { UnavailableCause } from '../../../src/custody/call/outcome.ts';
import { CUSTODY } from './custody-config.ts';

test.for<[UnavailableCause, string]>([
  [
    { kind: 'connection', detail: 'ENOTFOUND' },
    'https://custody.example cannot be reached (ENOTFOUND): check custody.baseUrl and the network',
  ],
  [
    { kind: 'connection', detail: 'CERT_HAS_EXPIRED' },
    'https://custody.example cannot be reached (CERT_HAS_EXPIRED): check custody.baseUrl and the network',
  ],
  [
    { kind: 'server-error', status: 502 },
    'https://custody.example answers 502: try again, and ask the custody service if it stays',
  ],
  [
    { kind: 'timeout', timeoutMs: 10_000 },
    'https://custody.example does not answer (timeout): check custody.baseUrl and the network',
  ],
])('the text of %j names what a person can check', ([cause, text]) => {
  expect(failureText({ kind: 'unavailable', cause }, CUSTODY)).toBe(text);
});
