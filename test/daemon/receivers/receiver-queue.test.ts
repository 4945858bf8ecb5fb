import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { HandOverResult } from '../../../src/daemon/receivers/owner-client.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import type { Submitted } from '../../../src/store/port.ts';
import { CERTIFICATE, CERTIFICATE_KEY, STRANGER } from '../../ops/certificate.ts';
import { factOf, START } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { follower, NOW, queueClock, TestOwner } from './receiver-pair.ts';

const service = new Service();
let depth = 0;
/** A webhook with a new event. */
function webhook(): Fact {
  depth += 1;
  return factOf(service.confirmed(depth), START);
}
const ACCEPTED: Submitted = { kind: 'delivery', status: 'accepted' };
const DUPLICATE: Submitted = { kind: 'delivery', status: 'duplicate' };
const unkept = (cause: string) => ({ kind: 'unavailable', effect: 'none', cause }) as const;
const HALT: Fact = {
  kind: 'decision',
  at: START,
  actor: 'ann',
  decision: { kind: 'halt', scope: { kind: 'everything' }, reason: 'a test' },
};

test('a follower hands webhooks to the owner, who recognises a repeat', async () => {
  const owner = new TestOwner();
  const { queue, observed } = follower();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  const facts = Array.from({ length: 40 }, webhook);
  const outcomes = await Promise.all(facts.map((fact) => queue.submit(fact)));
  expect(outcomes).toEqual(facts.map(() => ACCEPTED));
  expect(await queue.submit(facts[0] ?? HALT)).toEqual(DUPLICATE);
  expect(owner.facts).toBe(facts.length);
  expect(observed).toEqual(Array.from({ length: 41 }, () => 'forwarded'));
  // Facts that wait together travel and commit together.
  expect(owner.open.ledger.head.commitNumber).toBeLessThan(10);
});

test('bodies that nobody understands arrive as they are', async () => {
  const owner = new TestOwner();
  const { queue } = follower();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  const odd = factOf('{"id":"x","type":"new"}', START);
  const bytes = factOf(new Uint8Array([0xff, 0x00, 0x7b]), START);
  expect([odd.kind, bytes.kind]).toEqual(['quarantined', 'refused']);
  expect(await Promise.all([queue.submit(odd), queue.submit(bytes)])).toEqual([
    { kind: 'delivery', status: 'quarantined' },
    { kind: 'delivery', status: 'refused' },
  ]);
  expect(owner.open.ledger.head.lastSeq).toBe(2);
});

test('frames of the longest bodies fit, however short intake.maxBodyBytes is', async () => {
  const owner = new TestOwner({ bodyBytesMax: 4_096 });
  const { queue } = follower({ queueMax: 256 });
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  const outcomes = Array.from({ length: 256 }, (_, index) =>
    queue.submit(factOf(`{"id":"${index}"}`.padEnd(4_096), START)),
  );
  expect(new Set((await Promise.all(outcomes)).map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"kind":"delivery","status":"quarantined"}']),
  );
});

test('a follower trusts the authority that receiver.caFile names, and no other', async () => {
  const owner = new TestOwner();
  const at = await owner.listen({ cert: CERTIFICATE, key: CERTIFICATE_KEY });
  const fact = webhook();
  expect((await follower({ ca: CERTIFICATE }).client.hand(at, [fact])).kind).toBe('answered');
  for (const stranger of [follower(), follower({ ca: STRANGER })]) {
    expect(JSON.stringify(await stranger.client.hand(at, [webhook()]))).toMatch(
      /"unreached".*"the certificate of the owner owner at https:\/\/localhost:\d+ is not accepted \(\w+\): put its authority into receiver\.caFile"/,
    );
  }
  // The certificate is for localhost alone.
  const elsewhere = { ...at, url: at.url.replace('localhost', '127.0.0.1') };
  expect(
    JSON.stringify(await follower({ ca: CERTIFICATE }).client.hand(elsewhere, [webhook()])),
  ).toMatch(/"unreached".*\(ERR_TLS_CERT_ALTNAME_INVALID\): write a name that it has into/);
  expect(owner.facts).toBe(1);
});

test('a decision is answered when the replica of the follower shows it', async () => {
  const owner = new TestOwner();
  await owner.open.setPolicy({ default: { confirmations: 6 }, networks: {}, assets: {} });
  const { queue, applied } = follower();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  let answered = false;
  const outcome = queue.submit(HALT).finally(() => {
    answered = true;
  });
  await expect.poll(() => owner.facts, { timeout: 240_000 }).toBe(2);
  // A webhook after it comes back, so the answer to the decision has come back too.
  expect(await queue.submit(webhook())).toEqual(ACCEPTED);
  expect(answered).toBe(false);
  applied.reach(2);
  expect(await outcome).toMatchObject({ kind: 'taken', seq: 2 });
});

test('a decision waits until the replica of its receiver is level; deliveries do not', async () => {
  const owner = new TestOwner();
  const at = await owner.listen();
  await owner.open.setPolicy({ default: { confirmations: 6 }, networks: {}, assets: {} });
  const { queue, applied } = follower();
  queue.setRoute({ kind: 'follower', isLevel: false, owner: at });
  const decided = queue.submit(HALT);
  expect(await queue.submit(webhook())).toEqual(ACCEPTED);
  expect(owner.facts).toBe(2);
  applied.reach(3);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: at });
  expect(await decided).toMatchObject({ kind: 'taken', seq: 3 });
});

const OWNER = { name: 'o', url: 'http://o.invalid', epoch: 1, isLeased: true };

test('facts for a former owner go to the new one, and nothing is kept twice', async () => {
  const [former, next] = [new TestOwner(), new TestOwner()];
  const [formerOwner, nextOwner] = [await former.listen(), await next.listen()];
  const { queue } = follower();
  former.epoch = null;
  next.epoch = 2;
  queue.setRoute({ kind: 'follower', isLevel: true, owner: formerOwner });
  const outcome = queue.submit(webhook());
  await expect.poll(() => former.refused.length, { timeout: 240_000 }).toBeGreaterThan(0);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: { ...nextOwner, epoch: 2 } });
  expect(await outcome).toEqual(ACCEPTED);
  expect([former.facts, next.facts]).toEqual([0, 1]);
  expect(new Set(former.refused)).toEqual(new Set(['epoch']));
});

test('a webhook under way to an owner that fell silent goes to the next owner, and a decision does not', async () => {
  const answers: ((handed: HandOverResult) => void)[] = [];
  const answered = (fact: Fact): HandOverResult => ({
    kind: 'answered',
    answers: [fact.kind === 'decision' ? { kind: 'taken', seq: 1 } : ACCEPTED] as never,
    position: 1,
  });
  const { queue, applied } = follower({
    holdMsMax: 240_000,
    hand: ({ epoch }, [fact = HALT]) =>
      epoch === 2
        ? Promise.resolve(answered(fact))
        : new Promise((resolve) => answers.push(resolve)),
  });
  applied.reach(1);
  const silent = { name: 'o', url: 'http://o.invalid', epoch: 1, isLeased: true };
  queue.setRoute({ kind: 'follower', isLevel: true, owner: silent });
  const notified = queue.submit(webhook());
  await expect.poll(() => answers.length).toBe(1);
  const decided = queue.submit(HALT);
  await expect.poll(() => answers.length).toBe(2);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: { ...silent, epoch: 2 } });
  expect(await notified).toEqual(ACCEPTED);
  expect(queue.queued).toBe(1);
  answers[1]?.(answered(HALT));
  expect(await decided).toMatchObject({ kind: 'taken' });
});

test('a fact waits while the owner changes, and is refused when nobody becomes the owner', async () => {
  const owner = new TestOwner();
  const { queue } = follower({ holdMsMax: 240_000 });
  queue.setRoute({ kind: 'pending', cause: 'nobody owns the journal' });
  const held = queue.submit(webhook());
  await turn();
  expect(queue.queued).toBe(1);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  expect(await held).toEqual(ACCEPTED);

  const clock = new VirtualClock();
  const impatient = follower({ clock: queueClock(clock) });
  impatient.queue.setRoute({ kind: 'pending', cause: 'nobody owns the journal' });
  const refused = impatient.queue.submit(webhook());
  await clock.advance(5_999);
  expect(impatient.queue.queued).toBe(1);
  await clock.advance(1);
  expect(await refused).toEqual(unkept('nobody owns the journal'));
  expect(impatient.observed).toEqual(['refused']);
});

test('a receiver that must not serve refuses at once', async () => {
  const { queue } = follower({ holdMsMax: 240_000 });
  queue.setRoute({ kind: 'refusing', cause: 'this replica has diverged' });
  expect(await queue.submit(webhook())).toEqual(unkept('this replica has diverged'));
});

test('a receiver that stops holds facts for four seconds: an owner is found by then or they are refused', async () => {
  const owner = new TestOwner();
  const clock = new VirtualClock();
  const { queue } = follower({ clock: queueClock(clock) });
  queue.setRoute({ kind: 'pending', cause: 'nobody owns the journal' });
  const passed = queue.submit(webhook());
  queue.hurry();
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  expect(await passed).toEqual(ACCEPTED);
  queue.setRoute({ kind: 'pending', cause: 'nobody owns the journal' });
  const refused = queue.submit(webhook());
  await clock.advance(3_999);
  expect(queue.queued).toBe(1);
  await clock.advance(1);
  expect(await refused).toEqual(unkept('nobody owns the journal'));
});

test('closing refuses facts that wait for an owner, and answers those under way', async () => {
  const { queue } = follower({ holdMsMax: 240_000 });
  queue.setRoute({ kind: 'pending', cause: 'nobody owns the journal' });
  const held = queue.submit(webhook());
  await queue.close();
  expect(await held).toMatchObject({ kind: 'unavailable' });
  expect(await queue.submit(webhook())).toEqual({ kind: 'busy' });
});

test('after a lost answer a webhook is repeated, and a decision is not', async () => {
  const handed: string[] = [];
  const { queue, applied } = follower({
    hand: async (_, facts): Promise<HandOverResult> => {
      const kinds = facts.map(({ kind }) => kind);
      handed.push(...kinds);
      if (handed.length === 1 || kinds.includes('decision')) {
        return { kind: 'unknown', cause: 'the connection ended' };
      }
      return { kind: 'answered', answers: facts.map(() => ACCEPTED as never), position: 1 };
    },
  });
  applied.reach(1);
  const owner = { name: 'o', url: 'http://o.invalid', epoch: 1, isLeased: true };
  queue.setRoute({ kind: 'follower', isLevel: true, owner });
  expect(await queue.submit(webhook())).toEqual(ACCEPTED);
  expect(await queue.submit(HALT)).toMatchObject({
    effect: 'unknown',
    cause: 'the connection ended',
  });
  expect(handed).toEqual(['notification', 'notification', 'decision']);
});

test.for([
  [{ secret: 'x'.repeat(32) }, 'secret', /\(401\): receiver\.secret is not the same on both/],
  [{ now: () => NOW + 3_600_000 }, 'clock', /\(422\): .* 3600 s ahead of the owner's: set both/],
  [{ now: () => NOW - 3_600_000 }, 'clock', /\(422\): .* 3600 s behind the owner's/],
] as const)('an owner refuses %o: %s', async ([wrong, why, text]) => {
  const owner = new TestOwner();
  const { queue } = follower(wrong);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: await owner.listen() });
  const outcome = await queue.submit(webhook());
  expect(outcome.kind === 'unavailable' ? outcome.cause : outcome.kind).toMatch(text);
  expect([owner.refused, owner.facts]).toEqual([[why], 0]);
});

/** A follower on a virtual clock. Owners below the epoch `answersFrom` are silent. */
function followerOfSilent(answersFrom: number) {
  const clock = new VirtualClock();
  const frames: string[][] = [];
  const silent: ((handed: HandOverResult) => void)[] = [];
  const hand = (owner: { epoch: number }, facts: readonly Fact[]): Promise<HandOverResult> => {
    frames.push(facts.map(({ kind }) => kind));
    if (owner.epoch < answersFrom) return new Promise((resolve) => silent.push(resolve));
    const answers = facts.map(({ kind }) =>
      kind === 'decision' ? ({ kind: 'taken', seq: 1 } as const) : ACCEPTED,
    );
    return Promise.resolve({ kind: 'answered', answers: answers as never, position: 0 });
  };
  const { queue } = follower({ hand, clock: queueClock(clock) });
  queue.setRoute({ kind: 'follower', isLevel: true, owner: OWNER });
  /** Submits each fact in a frame of its own, while fewer than two are under way. */
  const submit = async (...facts: readonly Fact[]): Promise<{ outcomes: Promise<Submitted[]> }> => {
    const outcomes: Promise<Submitted>[] = [];
    for (const fact of facts) {
      outcomes.push(queue.submit(fact));
      await turn();
    }
    return { outcomes: Promise.all(outcomes) };
  };
  /** The calls to the silent owner end. */
  const hangUp = async (): Promise<void> => {
    for (const resolve of silent) resolve({ kind: 'unknown', cause: 'the call took too long' });
    // The next frame leaves in the second turn.
    await turn();
    await turn();
  };
  return { queue, clock, frames, submit, hangUp };
}

test('every fact leaves a silent owner after six seconds, and is not sent afterwards', async () => {
  const { queue, clock, frames, submit, hangUp } = followerOfSilent(Infinity);
  const sent = await submit(webhook(), HALT);
  await clock.advance(3_000);
  const unsent = await submit(webhook(), HALT);
  await clock.advance(2_999);
  expect(queue.queued).toBe(4);
  await clock.advance(1);
  const silent = unkept('the owner of the journal did not answer');
  const uncertain = { ...silent, effect: 'unknown' };
  expect(await sent.outcomes).toEqual([uncertain, uncertain]);
  expect(queue.queued).toBe(2);
  await clock.advance(3_000);
  expect(await unsent.outcomes).toEqual([silent, silent]);
  await hangUp();
  expect(frames).toEqual([['notification'], ['decision']]);
});

test('facts that were not sent to a silent owner go to the next one at once, a decision too', async () => {
  const { queue, frames, submit } = followerOfSilent(2);
  await submit(webhook(), webhook());
  const unsent = await submit(webhook(), HALT);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: { ...OWNER, epoch: 2 } });
  expect(await unsent.outcomes).toEqual([ACCEPTED, { kind: 'taken', seq: 1 }]);
  expect(frames.flat().filter((kind) => kind === 'decision')).toHaveLength(1);
});

test('a decision that was sent to a silent owner is not repeated at the next one', async () => {
  const { queue, clock, frames, submit } = followerOfSilent(2);
  const decided = await submit(HALT);
  queue.setRoute({ kind: 'follower', isLevel: true, owner: { ...OWNER, epoch: 2 } });
  await submit(webhook());
  await clock.advance(6_000);
  expect(await decided.outcomes).toMatchObject([{ kind: 'unavailable' }]);
  expect(frames).toEqual([['decision'], ['notification']]);
});

test('a fact leaves its own silent journal after six seconds', async () => {
  const clock = new VirtualClock();
  const silent = { submit: () => new Promise<Submitted>(() => undefined) };
  const { queue } = follower({ local: silent, clock: queueClock(clock) });
  queue.setRoute({ kind: 'owner' });
  const outcome = queue.submit(webhook());
  await clock.advance(6_000);
  expect(await outcome).toMatchObject({ kind: 'unavailable' });
});
