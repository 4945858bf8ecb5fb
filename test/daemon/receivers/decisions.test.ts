import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownerAnswers, type OwnerAnswer } from '../../../src/daemon/receivers/frame.ts';
import type { HandOverResult } from '../../../src/daemon/receivers/owner-client.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CreditId } from '../../../src/domain/ids.ts';
import type { Owner } from '../../../src/store/replicated/shared-journal.ts';
import type { Submitted } from '../../../src/store/port.ts';
import { START } from '../../store/open-ledger.ts';
import { follower } from './receiver-pair.ts';

const FORMER: Owner = { name: 'o', url: 'http://o.invalid', epoch: 1, isLeased: true };
const NEXT: Owner = { name: 'n', url: 'http://n.invalid', epoch: 2, isLeased: true };
const UNKEPT = { kind: 'unavailable', effect: 'none', cause: 'not the owner' } as const;
const UNCERTAIN = { kind: 'unavailable', effect: 'unknown', cause: 'no answer came' } as const;

const HALT: Decision = { kind: 'halt', scope: { kind: 'everything' }, reason: 'a test' };
const ACKNOWLEDGE: Decision = {
  kind: 'acknowledge',
  creditId: 'crd_1' as CreditId,
  reference: 'booking 1',
};
const SIGN: Decision = {
  kind: 'sign',
  day: '2026-01-31',
  role: 'preparer',
  reason: 'read it',
  reportHash: 'a hash',
};

function decided(decision: Decision): Fact {
  return { kind: 'decision', at: START, actor: 'ann', decision };
}

/** A follower of an owner that answers so; the next owner takes everything. */
function followerOf(former: OwnerAnswer | HandOverResult) {
  const sent: number[] = [];
  const answered = (answer: OwnerAnswer): HandOverResult => ({
    kind: 'answered',
    answers: [answer],
    position: 0,
  });
  const isAnswer = former.kind !== 'unknown' && former.kind !== 'not_owner';
  const one = follower({
    hand: ({ epoch }): Promise<HandOverResult> => {
      sent.push(epoch);
      if (epoch === NEXT.epoch) return Promise.resolve(answered({ kind: 'taken', seq: 1 }));
      return Promise.resolve(
        isAnswer ? answered(former as OwnerAnswer) : (former as HandOverResult),
      );
    },
  });
  one.queue.setRoute({ kind: 'follower', isLevel: true, owner: FORMER });
  return { ...one, sent };
}

test('a decision that the stopping owner did not keep goes to the next owner, once', async () => {
  const { queue, sent } = followerOf(UNKEPT);
  const outcome = queue.submit(decided(HALT));
  await expect.poll(() => sent).toContain(1);
  queue.setRoute({ kind: 'pending', cause: 'the owner changes' });
  await turn();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: NEXT });
  expect(await outcome).toEqual({ kind: 'taken', seq: 1 });
  expect(sent.filter((epoch) => epoch === NEXT.epoch)).toHaveLength(1);
});

test('a decision at the stopping owner itself goes to the next owner, once', async () => {
  const asked: Fact[] = [];
  const sent: number[] = [];
  const { queue } = follower({
    local: {
      submit: (fact) => {
        asked.push(fact);
        queue.setRoute({ kind: 'pending', cause: 'the owner changes' });
        return Promise.resolve(UNKEPT);
      },
    },
    hand: ({ epoch }) => {
      sent.push(epoch);
      return Promise.resolve({
        kind: 'answered',
        answers: [{ kind: 'taken', seq: 1 }],
        position: 0,
      });
    },
  });
  queue.setRoute({ kind: 'owner' });
  const outcome = queue.submit(decided(HALT));
  await turn();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: NEXT });
  expect(await outcome).toEqual({ kind: 'taken', seq: 1 });
  expect([asked.length, sent]).toEqual([1, [2]]);
});

test.each([
  ['an answer that says so', UNCERTAIN],
  ['a lost answer', { kind: 'unknown', cause: 'the connection ended' }],
] as const)('a decision that may have been kept is not repeated: %s', async (_, former) => {
  const { queue, sent } = followerOf(former);
  expect(await queue.submit(decided(HALT))).toEqual({ ...UNCERTAIN, cause: former.cause });
  queue.setRoute({ kind: 'follower', isLevel: true, owner: NEXT });
  await turn();
  expect(sent).toEqual([1]);
});

test.each([ACKNOWLEDGE, SIGN])(
  'a decision that may have been kept is repeated where the books know it: $kind',
  async (decision) => {
    const { queue, sent } = followerOf({ kind: 'unknown', cause: 'the connection ended' });
    const outcome = queue.submit(decided(decision));
    await expect.poll(() => sent).toContain(1);
    queue.setRoute({ kind: 'follower', isLevel: true, owner: NEXT });
    expect(await outcome).toEqual({ kind: 'taken', seq: 1 });
  },
);

test('an owner of an earlier version does not say that nothing was kept', () => {
  const said = { answers: [{ kind: 'unavailable', cause: 'not the owner' }], position: 7 };
  expect(ownerAnswers.parse(said).answers).toEqual([{ ...UNKEPT, effect: 'unknown' }]);
});

test.each<Submitted>([{ kind: 'taken', seq: 2 }, { kind: 'unchanged' }])(
  'a decision that the owner answers with %o waits for the replica, and is unavailable without it',
  async (answer) => {
    const hand = (): Promise<HandOverResult> =>
      Promise.resolve({ kind: 'answered', answers: [answer], position: 2 } as HandOverResult);
    const lagging = follower({ hand, appliedMsMax: 10 });
    lagging.queue.setRoute({ kind: 'follower', isLevel: true, owner: FORMER });
    expect(await lagging.queue.submit(decided(HALT))).toEqual({
      kind: 'unavailable',
      effect: 'unknown',
      cause: 'the owner has recorded it, and this replica does not show it yet',
    });
    // The journal holds it; the replica does not show it yet.
    expect(lagging.observed).toEqual(['forwarded']);
    const { queue, applied } = follower({ hand, appliedMsMax: 240_000 });
    queue.setRoute({ kind: 'follower', isLevel: true, owner: FORMER });
    const outcome = queue.submit(decided(HALT));
    await turn();
    applied.reach(2);
    expect(await outcome).toEqual(answer);
  },
);
