import { describe, expect, test } from 'vitest';
import { isInstalled } from '../postgres/installed.ts';
import { FAULT_NAMES } from './faults/rotation.ts';
import { prove } from './proof.ts';

describe.runIf(isInstalled)('npm run proof:failover', () => {
  test('after one fault of each kind nothing acknowledged is lost or doubled', async () => {
    const faults = FAULT_NAMES.length;
    const { events, verdict, consumed, problems } = await prove({
      seed: 1,
      faults,
      onFault: () => undefined,
      signal: new AbortController().signal,
    });
    expect(problems).toEqual([]);
    expect(verdict).toMatchObject({ lost: [], doubled: [], problems: [] });
    expect(events.map(({ name }) => name).toSorted()).toEqual(FAULT_NAMES.toSorted());
    expect(verdict.acknowledged).toBeGreaterThan(faults);
    expect(verdict.credits).toBeGreaterThan(0);
    expect(consumed).toBeGreaterThan(0);
  });
});
