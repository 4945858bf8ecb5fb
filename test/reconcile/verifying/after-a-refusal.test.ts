import { expect, test } from 'vitest';
import { GRACE_MS } from '../stage.ts';
import { startVerifying } from './verifying-stage.ts';

test('rows of a sweep whose evidence the store refused are compared by the next one, also when the verifier read the list in between', async () => {
  const { stage, verifier, changes } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run(stage.newSweep({ changes }));
  expect(await stage.depositState(hash)).toBe('credited');
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(3, [hash]);
  stage.loses = () => false;
  await stage.caller.advance(2 * GRACE_MS);
  let isFull = true;
  const sweep = stage.newSweep({
    changes,
    submit: async (facts) => {
      const holdsRun = facts.some(
        (fact) => fact.kind === 'custody-record' && fact.record.kind === 'run',
      );
      if (!isFull || holdsRun) return stage.open.commit(facts);
      return facts.map(
        () => ({ kind: 'unavailable', effect: 'none', cause: 'the disk is full' }) as const,
      );
    },
  });
  expect((await stage.run(sweep)).incomplete).toContain('full');
  isFull = false;
  await stage.paid(depositAddress, 800, 3);
  await stage.caller.advance(1_000);
  await verifier.round();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'credit 800']);
  await stage.run(sweep);
  expect(stage.open.openBreak('status_mismatch').blockchain_hash).toBe(hash);
});
