import { expect, test } from 'vitest';
import { Ownership, type LivingDuties } from '../../../src/daemon/receivers/ownership.ts';

/** Duties that tell their steps. */
function told(prepare: () => Promise<void> = () => Promise.resolve()) {
  const steps: string[] = [];
  let created = 0;
  const ownership = new Ownership((): LivingDuties => {
    created += 1;
    const tell = (step: string): void => void steps.push(`${step} ${created}`);
    return {
      prepare: () => {
        tell('prepare');
        return prepare();
      },
      start: () => tell('start'),
      stop: (step) => Promise.resolve(tell(`stop ${step}`)),
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
  const { ownership, steps } = told();
  expect(ownership.duties).toBe(null);
  await ownership.begin();
  ownership.start();
  expect(ownership.duties).not.toBe(null);
  await ownership.end();
  expect(ownership.duties).toBe(null);
  expect(steps).toEqual(['prepare 1', 'start 1', ...STOPS.map((step) => `${step} 1`)]);
});

test('an owner that takes over again has new duties', async () => {
  const { ownership, steps } = told();
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
  const { ownership, steps } = told(() => Promise.reject(new Error('the disk is full')));
  await expect(ownership.begin()).rejects.toThrow('the disk is full');
  expect(ownership.duties).toBe(null);
  expect(steps).toEqual(['prepare 1', ...STOPS.map((step) => `${step} 1`)]);
});

test('a receiver without duties has nothing to stop', async () => {
  const { ownership, steps } = told();
  await ownership.stop('schedule');
  await ownership.end();
  expect(steps).toEqual([]);
});
