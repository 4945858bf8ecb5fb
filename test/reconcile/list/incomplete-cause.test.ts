import { expect, test } from 'vitest';
import type { UnavailableCause } from '../../../src/custody/call/outcome.ts';
import { describeCause } from '../../../src/reconcile/list/custody-list.ts';

const TEXTS: readonly { readonly cause: UnavailableCause; readonly text: string }[] = [
  {
    cause: { kind: 'connection', detail: 'ECONNREFUSED' },
    text: 'the custody API cannot be reached (ECONNREFUSED)',
  },
  { cause: { kind: 'server-error', status: 503 }, text: 'the custody API answers 503' },
  {
    cause: { kind: 'timeout', timeoutMs: 10_000 },
    text: 'the custody API did not answer within 10 s',
  },
  { cause: { kind: 'deadline' }, text: 'the custody API did not answer in time' },
  {
    cause: { kind: 'circuit-open', retryAtMs: Date.parse('2026-01-01T00:00:30Z') },
    text: 'the custody API failed several times: the next try is at 2026-01-01T00:00:30.000Z',
  },
  {
    cause: { kind: 'unrecorded', detail: 'database or disk is full' },
    text: 'the custody API was not asked, because the request could not be counted (database or disk is full)',
  },
];

test.each(TEXTS)('an incomplete run names its cause: $text', ({ cause, text }) => {
  expect(describeCause({ kind: 'unavailable', cause })).toBe(text);
});
