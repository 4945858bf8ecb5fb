import { expect, test } from 'vitest';
import type { FactRoute } from '../../../src/daemon/receivers/fact-route.ts';
import { Ownership } from '../../../src/daemon/receivers/ownership.ts';
import { Receiver } from '../../../src/daemon/receivers/receiver.ts';
import { ReplicaPosition } from '../../../src/daemon/receivers/replica-position.ts';
import type { Owner } from '../../../src/store/replicated/shared-journal.ts';

const OWN_URL = 'http://a.invalid';
const OTHER: Owner = { name: 'b', url: 'http://b.invalid', epoch: 4, isLeased: true };

/** The time of the receivers, monotonic milliseconds. */
let now = 0;

/** A receiver, and a record of its routes and of the steps of its duties. */
function receiverAt(position = 7, prepare = (): void => undefined) {
  const said: string[] = [];
  const ownership = new Ownership(() => ({
    prepare: async () => {
      said.push('prepare');
      prepare();
    },
    start: () => void said.push('start'),
    stop: (step) => Promise.resolve(void (step === 'schedule' && said.push('stop'))),
    reconcile: () => Promise.resolve({ kind: 'not_recorded', cause: 'here' } as const),
    close: () => Promise.resolve({ kind: 'closed' } as const),
    reevaluate: () => undefined,
  }));
  const applied = new ReplicaPosition();
  applied.reach(position);
  const log = (): void => undefined;
  const receiver = new Receiver({
    url: OWN_URL,
    clock: () => now,
    ownership,
    queue: { setRoute: ({ kind }: FactRoute) => void said.push(kind) },
    client: {
      hand: () => Promise.resolve({ kind: 'answered', answers: [], position: 7 }),
      reconcile: () => Promise.resolve({ kind: 'not_owner' }),
      close: () => Promise.resolve({ kind: 'refused', cause: 'another secret' }),
    },
    applied,
    reads: { reconciliation: () => Promise.resolve(undefined) },
    log: { info: log, warn: log, error: log, fatal: log },
  });
  return { receiver, ownership, applied, said };
}

test('duties begin with the ownership and end with it', async () => {
  const { receiver, said } = receiverAt();
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect(receiver.epoch).toBe(null);
  receiver.take({ kind: 'owner', epoch: 5 });
  expect(receiver.epoch).toBe(5);
  await expect.poll(() => said).toContain('start');
  receiver.take({ kind: 'cut_off', cause: 'the network', owner: null });
  await receiver.end();
  expect(said).toEqual(['follower', 'owner', 'prepare', 'start', 'owner', 'pending', 'stop']);
});

test('the owner of an empty journal takes facts after the policy', async () => {
  const { receiver, said } = receiverAt(0);
  receiver.take({ kind: 'owner', epoch: 1 });
  expect([receiver.epoch, ...said]).toEqual([null, 'pending']);
  await expect.poll(() => receiver.epoch).toBe(1);
  expect(said).toEqual(['pending', 'prepare', 'start', 'owner']);
  await receiver.end();
});

test('an ownership that ends while its duties begin starts none', async () => {
  const { receiver, said } = receiverAt();
  receiver.take({ kind: 'owner', epoch: 1 });
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  await receiver.end();
  expect(said).not.toContain('start');
});

test('a shutdown that comes while duties begin starts none', async () => {
  const { receiver, ownership, said } = receiverAt();
  receiver.take({ kind: 'owner', epoch: 1 });
  receiver.beginNoDuties();
  await ownership.stop('schedule');
  await receiver.end();
  expect(said).not.toContain('start');
});

test('duties whose beginning a shutdown ends are no failure', async () => {
  const { receiver } = receiverAt(7, () => {
    receiver.beginNoDuties();
    throw new Error('this receiver does not own the journal');
  });
  receiver.take({ kind: 'owner', epoch: 1 });
  await receiver.end();
  expect(receiver.dutiesWarning).toBe(null);
});

test('a receiver that becomes the owner during its shutdown begins no duties', async () => {
  const { receiver, said } = receiverAt();
  receiver.beginNoDuties();
  receiver.take({ kind: 'owner', epoch: 1 });
  await receiver.end();
  expect(said).toEqual(['owner']);
});

test('an owner whose duties cannot begin says why until they begin, or until it owns no more', async () => {
  let cause: string | null = 'the custody key is gone';
  const { receiver } = receiverAt(7, () => {
    if (cause !== null) throw new Error(cause);
  });
  receiver.take({ kind: 'owner', epoch: 5 });
  await expect.poll(() => receiver.dutiesWarning).toMatch(/: the custody key is gone\. Repair/);
  // It takes facts all the same.
  expect(receiver.epoch).toBe(5);
  cause = null;
  await expect.poll(() => receiver.dutiesWarning).toBe(null);

  cause = 'the disk is full';
  receiver.take({ kind: 'owner', epoch: 6 });
  await expect.poll(() => receiver.dutiesWarning).toContain('the disk is full');
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  await expect.poll(() => receiver.dutiesWarning).toBe(null);
  await receiver.end();
});

test('a receiver that takes no facts says why: at its start at once, later after ten seconds', () => {
  const { receiver } = receiverAt();
  const nobody = /^nobody owns the journal, and this replica does not hold all of it yet: wait/;
  receiver.take({ kind: 'follower', isLevel: true, owner: null });
  expect(receiver.outOfService).toMatch(nobody);
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect(receiver.outOfService).toBe(null);
  receiver.take({ kind: 'follower', isLevel: true, owner: { ...OTHER, isLeased: false } });
  now += 9_999;
  expect(receiver.outOfService).toBe(null);
  receiver.take({ kind: 'follower', isLevel: true, owner: null });
  now += 1;
  expect(receiver.outOfService).toMatch(nobody);
});

test('a follower shows nothing before its replica was level once: it would take revoked tokens', async () => {
  const { receiver, said } = receiverAt();
  const notLevel = /^this replica does not hold the whole journal yet: wait while its position/;
  expect(receiver.showsNothing).toMatch(/^this receiver has just started/);
  receiver.take({ kind: 'follower', isLevel: false, owner: OTHER });
  // Deliveries that still arrive go to the owner.
  expect(said).toEqual(['follower']);
  expect([receiver.showsNothing, receiver.outOfService]).toEqual([
    expect.stringMatching(notLevel),
    expect.stringMatching(notLevel),
  ]);
  expect(await receiver.close('2026-01-31')).toMatchObject({ kind: 'unavailable' });
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect([receiver.showsNothing, receiver.outOfService]).toEqual([null, null]);
  receiver.take({ kind: 'diverged', detail: 'another journal' });
  expect(receiver.showsNothing).toContain('another journal');
});

test('a receiver that is cut off shows its replica for a minute, and never one that was not level', () => {
  const { receiver } = receiverAt();
  const old =
    /^this receiver does not follow the journal now, and what its replica shows may be old/;
  receiver.take({ kind: 'cut_off', cause: 'the network', owner: null });
  expect(receiver.showsNothing).toMatch(old);
  receiver.take({ kind: 'follower', isLevel: false, owner: OTHER });
  receiver.take({ kind: 'cut_off', cause: 'the network', owner: null });
  expect(receiver.showsNothing).toMatch(old);
  for (const role of [
    { kind: 'follower', isLevel: true, owner: OTHER },
    { kind: 'owner', epoch: 5 },
  ] as const) {
    receiver.take(role);
    receiver.take({ kind: 'cut_off', cause: 'the network', owner: null });
    now += 30_000;
    receiver.take({ kind: 'cut_off', cause: 'the password', owner: null });
    now += 29_999;
    expect(receiver.showsNothing).toBe(null);
    now += 1;
    expect(receiver.showsNothing).toMatch(old);
  }
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect(receiver.showsNothing).toBe(null);
});

test('the owner of an empty journal whose duties cannot begin says that it takes nothing', async () => {
  let cause: string | null = 'the custody key is gone';
  const { receiver } = receiverAt(0, () => {
    if (cause !== null) throw new Error(cause);
  });
  receiver.take({ kind: 'owner', epoch: 1 });
  await expect
    .poll(() => receiver.outOfService)
    .toBe(
      'the duties of the owner cannot begin, and an empty journal begins with the policy that they bring, so nothing is taken: the custody key is gone. Repair that, or stop this receiver so that another one takes over',
    );
  cause = null;
  await expect.poll(() => receiver.outOfService).toBe(null);
  expect(receiver.dutiesWarning).toBe(null);
  await receiver.end();
});

test('an owner whose duties fail after the policy takes facts', async () => {
  const { receiver, applied, said } = receiverAt(0, () => {
    applied.reach(1);
    throw new Error('the exemption rules name an unknown network');
  });
  receiver.take({ kind: 'owner', epoch: 1 });
  await expect.poll(() => said).toContain('owner');
  expect(receiver.outOfService).toBe(null);
  await receiver.end();
});

test('a receiver is level when it holds what the owner holds', async () => {
  const [level, behind] = [receiverAt(7).receiver, receiverAt(6).receiver];
  for (const receiver of [level, behind])
    receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect([await level.isLevel(), await behind.isLevel()]).toEqual([true, false]);
  level.take({ kind: 'cut_off', cause: 'the network', owner: null });
  behind.take({ kind: 'owner', epoch: 5 });
  expect([await level.isLevel(), await behind.isLevel()]).toEqual([false, true]);
  await behind.end();
});

test('a receiver that cannot keep facts hands them to an owner, and not to itself', () => {
  const { receiver, said } = receiverAt();
  const full = { kind: 'cut_off', cause: 'its disk is full' } as const;
  receiver.take({ ...full, owner: null });
  receiver.take({ ...full, owner: { ...OTHER, isLeased: false } });
  receiver.take({ ...full, owner: { ...OTHER, url: OWN_URL } });
  receiver.take({ ...full, owner: OTHER });
  expect(said).toEqual(['pending', 'pending', 'pending', 'follower']);
  expect(receiver.epoch).toBe(null);
});

test('a diverged replica refuses facts', () => {
  const { receiver, said } = receiverAt();
  receiver.take({ kind: 'diverged', detail: 'another journal' });
  expect(said).toEqual(['refusing']);
});

test('a receiver whose URL another owner has says so and hands it nothing', () => {
  const { receiver, said } = receiverAt();
  receiver.take({ kind: 'follower', isLevel: true, owner: { ...OTHER, url: OWN_URL } });
  expect(said).toEqual(['pending']);
  expect(receiver.nameTaken).toContain('give each receiver its own receiver.name and receiver.url');
});

test('a call that the owner does not answer says why', async () => {
  const { receiver } = receiverAt();
  expect(await receiver.reconcile()).toMatchObject({ kind: 'not_recorded' });
  receiver.take({ kind: 'follower', isLevel: true, owner: OTHER });
  expect(await receiver.reconcile()).toEqual({
    kind: 'not_recorded',
    cause: 'the owner of the journal changes: try again in a moment',
  });
  expect(await receiver.close('2026-01-31')).toEqual({
    kind: 'unavailable',
    reason: 'another secret',
  });
});
