import { expect, test } from 'vitest';
import { Ownership, type LivingDuties } from '../../../src/daemon/receivers/ownership.ts';

/** An ownership whose duties record their steps. */
function recordedOwnership(prepare: () => Promise<void> = () => Promise.resolve()) {
  const steps: string[] = [];
  let created = 0;
  const ownership = new Ownership((): LivingDuties => {
    created += 1;
    const record = (step: string): void => void steps.push(`${step} ${created}`);
    return {
      prepare: () => {
        record('prepare');
        return prepare();
      },
      start: () => record('start'),
      stop: (step) => Promise.resolve(record(`stop ${step}`)),
    };
  });
  return { ownership, steps };
}

const STOPS = [
  'stop schedule',
  'stop custody client',
  'stop reconciliation',
  'stop verifier',
  'stop reevaluation',
];

test('an owner prepares its duties, starts them, and stops them in order', async () => {
  const { ownership, steps } = recordedOwnership();
  expect(ownership.duties).toBe(null);
  await ownership.begin();
  ownership.start();
  expect(ownership.duties).not.toBe(null);
  await ownership.end();
  expect(ownership.duties).toBe(null);
  expect(steps).toEqual(['prepare 1', 'start 1', ...STOPS.map((step) => `${step} 1`)]);
});

test('an owner that takes over again has new duties', async () => {
  const { ownership, steps } = recordedOwnership();
  await ownership.begin();
  ownership.start();
  await ownership.end();
  await ownership.begin();
  ownership.start();
  expect(steps.slice(-2)).toEqual(['prepare 2', 'start 2']);
  await expect(ownership.begin()).rejects.toThrow('have begun already');
  expect(() => ownership.start()).toThrow('have started already');
});

test('duties that cannot be prepared are stopped and forgotten', async () => {
  const { ownership, steps } = recordedOwnership(() =>
    Promise.reject(new Error('the disk is full')),
  );
  await expect(ownership.begin()).rejects.toThrow('the disk is full');
  expect(ownership.duties).toBe(null);
  expect(steps).toEqual(['prepare 1', ...STOPS.map((step) => `${step} 1`)]);
});

test('a receiver without duties has nothing to stop', async () => {
  const { ownership, steps } = recordedOwnership();
  await ownership.stop('schedule');
  await ownership.end();
  expect(steps).toEqual([]);
});
