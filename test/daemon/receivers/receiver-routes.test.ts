import { expect, test } from 'vitest';
import { framed, PROTOCOL, unframed } from '../../../src/daemon/receivers/frame.ts';
import { decode } from '../../../src/intake/decode.ts';
import { factOf, START } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { follower, NOW, SECRET, TestOwner } from './receiver-pair.ts';

const HEADERS = {
  authorization: `Bearer ${SECRET}`,
  'counterfoil-protocol': PROTOCOL,
  'counterfoil-epoch': '1',
  'counterfoil-sent-at': String(NOW),
};

async function posted(headers: Record<string, string>, body: Uint8Array | string = '') {
  const owner = new TestOwner();
  const { url } = await owner.listen();
  const response = await fetch(`${url}/receivers/facts`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), owner };
}

test.for([
  ['no secret', { authorization: '' }, 401, 'receiver.secret is not the same on both receivers'],
  [
    'another protocol',
    { 'counterfoil-protocol': '9' },
    426,
    `this receiver speaks protocol ${PROTOCOL}, not 9: run the same version of the program on both`,
  ],
  ['another epoch', { 'counterfoil-epoch': '2' }, 409, 'this receiver is not the owner'],
  ['no time', { 'counterfoil-sent-at': 'x' }, 422, 'set both clocks by NTP'],
  ['no frame', {}, 400, 'the body is no frame of facts'],
] as const)('a request with %s is refused', async ([, headers, status, text]) => {
  const answer = await posted({ ...HEADERS, ...headers });
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(text);
  expect(answer.owner.facts).toBe(0);
});

test('a frame beyond its bound is refused', async () => {
  const answer = await posted(HEADERS, new Uint8Array(3_000_000));
  expect([answer.status, answer.text]).toEqual([
    413,
    'the facts are larger than 2097152 bytes: intake.maxBodyBytes must be the same for all receivers',
  ]);
});

test('a frame gives back its facts, and damaged bytes are no frame', () => {
  const service = new Service();
  const facts = [
    factOf(service.confirmed(1), START),
    factOf('{"id":"\u0000"}', START + 1),
    factOf('nothing', START + 2),
    {
      kind: 'decision' as const,
      at: START + 3,
      actor: 'ann',
      decision: { kind: 'halt' as const, scope: { kind: 'everything' as const }, reason: 'why' },
    },
  ];
  const bytes = framed(facts);
  const read = unframed(bytes, decode) ?? [];
  expect(framed(read.flatMap((one) => (one.kind === 'fact' ? [one.fact] : [])))).toEqual(bytes);
  for (let end = 0; end < bytes.length; end += 7) {
    expect(unframed(bytes.subarray(0, end), decode)).toBe(null);
  }
  expect(unframed(Buffer.concat([bytes, Buffer.from('x')]), decode)).toBe(null);
});

test('a run and a close that a follower is asked for run at the owner', async () => {
  const owner = new TestOwner();
  const at = await owner.listen();
  const { client } = follower();
  expect(await client.reconcile(at)).toEqual({ kind: 'not_owner' });
  const asked: string[] = [];
  owner.services = {
    reconcile: () => Promise.resolve({ kind: 'not_recorded', cause: 'the disk is full' }),
    close: (day) => {
      asked.push(day);
      return Promise.resolve({ kind: 'closed' });
    },
    reevaluate: () => undefined,
  };
  expect(await client.reconcile(at)).toEqual({
    kind: 'answered',
    answer: { kind: 'not_recorded', cause: 'the disk is full' },
    position: 0,
  });
  expect(await client.close(at, '2026-01-31')).toEqual({
    kind: 'answered',
    answer: { kind: 'closed' },
    position: 0,
  });
  expect(asked).toEqual(['2026-01-31']);
});

test.for([
  ['no JSON', '2026-01-31'],
  ['nothing', ''],
  ['JSON without a day', '{"date":"2026-01-31"}'],
] as const)('a call for a close whose body is %s is refused', async ([, body]) => {
  const owner = new TestOwner();
  const { url } = await owner.listen();
  owner.services = {
    reconcile: () => Promise.resolve({ kind: 'not_recorded', cause: 'nobody asks for a run' }),
    close: () => Promise.resolve({ kind: 'closed' }),
    reevaluate: () => undefined,
  };
  const response = await fetch(`${url}/receivers/close`, {
    method: 'POST',
    headers: HEADERS,
    body,
  });
  expect([response.status, await response.text()]).toEqual([
    400,
    'the body names no day: send {"day":"2026-01-31"} as JSON',
  ]);
});

test('runs that take minutes hold no facts up', async () => {
  const owner = new TestOwner();
  const at = await owner.listen();
  const { client } = follower();
  const ends: (() => void)[] = [];
  owner.services = {
    reconcile: () =>
      new Promise((resolve) => {
        ends.push(() => resolve({ kind: 'not_recorded', cause: 'the test has ended' }));
      }),
    close: () => Promise.resolve({ kind: 'closed' }),
    reevaluate: () => undefined,
  };
  const runs = Array.from({ length: 6 }, () => client.reconcile(at));
  await expect.poll(() => ends.length).toBe(4);
  const fact = factOf(new Service().confirmed(1), START);
  expect((await client.hand(at, [fact])).kind).toBe('answered');
  for (let ended = 0; ended < runs.length; ended += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    ends[ended]?.();
  }
  expect((await Promise.all(runs)).map(({ kind }) => kind)).toEqual(runs.map(() => 'answered'));
});

test('an owner that nobody listens for is not reached, and nothing was sent', async () => {
  const { client } = follower();
  const at = { name: 'gone', url: 'http://127.0.0.1:1', epoch: 1, isLeased: true };
  expect(await client.hand(at, [])).toEqual({
    kind: 'unreached',
    cause:
      'the owner gone cannot be reached (ECONNREFUSED): repair the network between the receivers, or correct receiver.url',
  });
});
