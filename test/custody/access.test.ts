import { expect, test } from 'vitest';
import { Access, accessNotice, type AccessState } from '../../src/custody/access.ts';

const HOUR_MS = 3_600_000;

/** `operation status`, each a second after the one before; `-` where no answer came. */
function after(attempts: readonly string[]): { state: AccessState; serviceCount: string[] } {
  let nowMs = 0;
  const serviceCount: string[] = [];
  const access = new Access({
    now: () => nowMs,
    onChange: (state) => serviceCount.push(words(state)),
  });
  for (const attempt of attempts) {
    nowMs += 1_000;
    const [operation = '', status = ''] = attempt.split(' ');
    access.answered({ operation, status: status === '-' ? null : Number(status) });
  }
  return { state: access.state(), serviceCount };
}

function words(state: AccessState): string {
  if (state.kind !== 'refused') return state.kind;
  const refusals = state.refusals.map(
    ({ operation, status, sinceMs }) => `${operation} ${status} since ${sinceMs / 1000}`,
  );
  return `refused: ${refusals.join(', ')}`;
}

const COURSES: [why: string, attempts: string[], is: string][] = [
  ['nobody asked', [], 'unknown'],
  ['no answer came', ['transactions -'], 'unknown'],
  ['a failing service says nothing about the key', ['transactions 500'], 'unknown'],
  ['nor does a used-up limit', ['transactions 429'], 'unknown'],
  ['an answer', ['transactions 200'], 'granted'],
  ['a refused request with a key that is accepted', ['transactions 400'], 'granted'],
  ['what is asked for is not there', ['transaction 404'], 'granted'],
  [
    'the key is revoked',
    ['transactions 200', 'transactions 401'],
    'refused: transactions 401 since 2',
  ],
  [
    'refused from the first time on',
    ['transactions 401', 'transactions 401'],
    'refused: transactions 401 since 1',
  ],
  [
    'silence changes nothing',
    ['transactions 401', 'transactions -', 'transactions 503', 'transactions 429'],
    'refused: transactions 401 since 1',
  ],
  ['the key is accepted again, by any answer', ['transactions 401', 'networks 200'], 'granted'],
  [
    'a permission is missing, the rest goes on',
    ['subscriptions 403', 'transactions 200'],
    'refused: subscriptions 403 since 1',
  ],
  ['the permission is there', ['subscriptions 403', 'subscriptions 200'], 'granted'],
  [
    'the key first, then the permission',
    ['transactions 401', 'transactions 403'],
    'refused: transactions 403 since 2',
  ],
];

test.for(COURSES)('%s: %j', ([, attempts, is]) => {
  expect(words(after(attempts).state)).toBe(is);
});

test('a change of access is reported once for many requests', () => {
  const { serviceCount } = after([
    'transactions 200',
    'transactions 401',
    'networks 401',
    'transactions 401',
    'transactions 200',
    'networks 200',
  ]);
  expect(serviceCount).toEqual(['refused: transactions 401 since 2', 'granted']);
});

test('a missing permission that nobody asks for any more is forgotten after two hours', () => {
  let nowMs = 0;
  const access = new Access({ now: () => nowMs, onChange: () => undefined });
  access.answered({ operation: 'replay', status: 403 });
  nowMs = 2 * HOUR_MS - 1;
  expect(access.state().kind).toBe('refused');
  nowMs = 2 * HOUR_MS;
  expect(access.state().kind).toBe('granted');
});

test('a notice says what is refused, since when, and what to do', () => {
  const { state } = after(['subscriptions 403', 'transactions 401']);
  expect(accessNotice(state)).toEqual([
    'The custody API has refused our key (401) since 1970-01-01T00:00:02.000Z; nothing is verified or credited. Check custody.clientId, attach the public key of custody.privateKeyFile to that API client, and check the clock of this machine.',
    'The custody API has refused subscriptions (403) since 1970-01-01T00:00:01.000Z. Give the API client custody.clientId the permission, or check the proxy in between.',
  ]);
  expect(accessNotice({ kind: 'granted' })).toEqual([]);
});
