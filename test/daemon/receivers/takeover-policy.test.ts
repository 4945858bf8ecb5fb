import { expect, test } from 'vitest';
import { startText, takePolicy } from '../../../src/daemon/start/configured-policy.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { NetworkKey } from '../../../src/domain/ids.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { ApiUnderTest } from '../../api/api-under-test.ts';
import { openLedgerFile } from '../../store/open-ledger.ts';

function deep(confirmations: number): CreditingPolicy {
  return { default: { confirmations }, networks: {}, assets: {} };
}

/** A journal in which the configuration of one receiver was applied: depth 6. */
async function journal({ isShared }: { readonly isShared: boolean }) {
  const { reads, open } = new ApiUnderTest(await openLedgerFile(deep(6)));
  const queue = new CommitQueue({
    ledger: {
      commit: async (facts) => ({ kind: 'committed', outcomes: await open.commit(facts) }),
    },
    batchMax: 1,
    queueMax: 10,
  });
  const depth = async () => (await reads.policy())?.policy.default.confirmations;
  return {
    depth,
    /** A receiver with this depth in its configuration takes over, or starts. */
    takeOver: async (confirmations: number) => {
      const start = await takePolicy(deep(confirmations), { reads, queue }, { isShared });
      return { depth: await depth(), text: startText(start) };
    },
    setThroughApi: async (confirmations: number) => {
      const replaces = (await reads.policy())?.seq ?? 0;
      const policy = deep(confirmations);
      const reason = 'a person says so';
      await open.decide({ kind: 'policy', source: 'api', policy, replaces, reason }, 'ann');
    },
    halt: (network: string) =>
      open.decide(
        {
          kind: 'halt',
          scope: { kind: 'network', network: NetworkKey(network) },
          reason: 'a fork',
        },
        'ann',
      ),
    resume: (network: string) =>
      open.decide(
        {
          kind: 'resume',
          scope: { kind: 'network', network: NetworkKey(network) },
          reason: 'it is over',
        },
        'ann',
      ),
    reason: async () => (await reads.policy())?.reason,
  };
}

test('receivers with different policies apply each once, and keep what a person set', async () => {
  const { takeOver, setThroughApi, depth } = await journal({ isShared: true });
  expect((await takeOver(12)).depth).toBe(12);
  await setThroughApi(30);
  for (const confirmations of [6, 12, 6]) {
    expect((await takeOver(confirmations)).depth).toBe(30);
  }
  const { text } = await takeOver(6);
  expect(text).toMatch(/ann set at .* \(a person says so\), not this receiver's: .*same crediting/);
  // A changed file still changes the policy.
  expect((await takeOver(3)).depth).toBe(3);
  expect(await depth()).toBe(3);
});

test('a former policy that a person has set again needs no warning', async () => {
  const { takeOver, setThroughApi } = await journal({ isShared: true });
  await takeOver(12);
  await setThroughApi(6);
  expect(await takeOver(6)).toEqual({ depth: 6, text: null });
});

test('a policy of the configuration gives its file as the reason, and names the halts that stay', async () => {
  const { takeOver, halt, reason } = await journal({ isShared: false });
  await takeOver(12);
  expect(await reason()).toBe(
    "this policy stands in the daemon's configuration file, under crediting",
  );
  await halt('ethereum');
  await takeOver(9);
  expect(await reason()).toBe(
    "this policy stands in the daemon's configuration file, under crediting; still halted, because a person set the halt: network ethereum",
  );
});

test('with SQLite a file that goes back to an earlier policy brings it back', async () => {
  const { takeOver } = await journal({ isShared: false });
  await takeOver(12);
  expect((await takeOver(6)).depth).toBe(6);
});

test.for([false, true])(
  'the sentence about a policy of a person gives its own reason, not that of a later halt; shared: %s',
  async (isShared) => {
    const { takeOver, setThroughApi, halt } = await journal({ isShared });
    await takeOver(12);
    await setThroughApi(30);
    await halt('ethereum');
    // Shared, the first file's policy is one of before.
    const { text } = await takeOver(isShared ? 6 : 12);
    expect(text).toMatch(/ann set .*\(a person says so\), not .*halted now: network ethereum/);
    expect(text).not.toContain('a fork');
  },
);

test.for([false, true])(
  'where people changed only halts, the sentence says that the rules are those of the file; shared: %s',
  async (isShared) => {
    const { takeOver, halt, resume } = await journal({ isShared });
    await takeOver(12);
    await halt('ethereum');
    await halt('bitcoin');
    const { text } = await takeOver(12);
    expect(text).toMatch(
      /^the crediting policy is the configuration's, except for halts that people changed through the API: halted now: network ethereum, network bitcoin; last change by ann at .*Z \(a fork\)$/,
    );
    await resume('ethereum');
    await resume('bitcoin');
    expect(await takeOver(12)).toEqual({ depth: 12, text: null });
  },
);

test('a changed file does not name the reason of a halt as that of a replaced policy', async () => {
  const { takeOver, setThroughApi, halt } = await journal({ isShared: false });
  await takeOver(12);
  await halt('ethereum');
  expect((await takeOver(9)).text).toBe(
    'the crediting policy of the configuration has changed: halted through the API, and still halted: network ethereum',
  );
  expect((await takeOver(9)).text).toBeNull();
  await setThroughApi(30);
  await halt('bitcoin');
  expect((await takeOver(5)).text).toBe(
    'the crediting policy of the configuration has changed: it replaces the policy that ann set through the API (a person says so); halted through the API, and still halted: network bitcoin',
  );
});
