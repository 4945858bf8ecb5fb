import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeExemptions } from '../../../src/daemon/start/configured-exemptions.ts';
import { takePolicy } from '../../../src/daemon/start/configured-policy.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { exemptions } from '../../../src/ops/config/exemptions.ts';
import { EXEMPTIBLE_TYPES } from '../../../src/domain/break/exemption.ts';
import { ApiUnderTest } from '../../api/api-under-test.ts';
import { openLedgerFile, SIX_DEEP } from '../../store/open-ledger.ts';

const OWNED = { reason: 'a known difference', owner: 'operations' };
const RULE = { rule: 'drill', network: 'ethereum', until: '2026-12-31', ...OWNED };

/** Receivers that take over one journal, each with its own configuration file. */
async function journal() {
  const { reads, open } = new ApiUnderTest(await openLedgerFile(SIX_DEEP));
  const queue = new CommitQueue({
    ledger: {
      commit: async (facts) => ({ kind: 'committed', outcomes: await open.commit(facts) }),
    },
    batchMax: 1,
    queueMax: 10,
  });
  return {
    open,
    facts: () => open.journalLength(),
    /** A receiver with these rules in its file takes over: whether it has replaced others. */
    takeOver: (rules: readonly object[]) =>
      takeExemptions(exemptions.parse(JSON.parse(JSON.stringify(rules))), { reads, queue }),
  };
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((one) => `x${one}`);
const amount = fc
  .tuple(fc.constantFrom('', '-', '00', '-0'), fc.bigInt({ min: 0n, max: 10n ** 60n }))
  .map(([sign, digits]) => `${sign}${digits}`);
const until = fc.constantFrom('2026-12-31', '2026-12-31T23:59:00+14:00', '1999-01-01T00:00:00.5Z');

/** Rules of every form, as a configuration file holds them. */
const anyRules = fc.uniqueArray(
  fc
    .record(
      {
        rule: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,20}$/),
        asset: text,
        vaultId: text,
        network: text,
        blockchainHash: text,
        breakType: fc.constantFrom(...EXEMPTIBLE_TYPES),
        compared: fc.record({ direction: fc.constantFrom('<=', '>='), amount }),
        until,
        reason: text.map((one) => ` ${one} `),
        owner: text,
      },
      { requiredKeys: ['rule', 'vaultId', 'until', 'reason', 'owner'] },
    )
    .map(({ compared, ...rule }) => ({ ...rule, ...compared })),
  { selector: ({ rule }) => rule, maxLength: 6 },
);

test('receivers with the same rules in their files add nothing to the journal at a takeover', async () => {
  const property = fc.asyncProperty(anyRules, async (rules) => {
    const { takeOver, facts, open } = await journal();
    await takeOver(rules);
    const before = facts();
    expect([await takeOver(rules), facts()]).toEqual([false, before]);
    open.close();
  });
  await fc.assert(property, { numRuns: 40 });
});

test('what people decide about exemptions and the policy makes no takeover journal the file again', async () => {
  const { takeOver, facts, open } = await journal();
  await takeOver([RULE]);
  for (const rule of exemptions.parse([{ ...RULE, rule: 'by hand' }])) {
    await open.decide({ kind: 'exempt', rule }, 'ann');
  }
  expect(await takeOver([RULE])).toBe(false);
  await open.decide({ kind: 'end-exemption', rule: 'by hand', reason: 'it is over' }, 'ann');
  await open.decide({ kind: 'halt', scope: { kind: 'everything' }, reason: 'a test' }, 'ann');
  const before = facts();
  expect([await takeOver([RULE]), facts()]).toEqual([false, before]);
});

test('a takeover says when the rules of its file replace those of another', async () => {
  const { takeOver } = await journal();
  const other = { ...RULE, rule: 'other' };
  expect(await takeOver([RULE, other])).toBe(false);
  expect(await takeOver([other, RULE])).toBe(true);
  expect(await takeOver([])).toBe(true);
});

test('a store that is busy does not pass for one that has taken the configuration', async () => {
  const { reads } = new ApiUnderTest(await openLedgerFile(SIX_DEEP));
  const queue = { submit: () => Promise.resolve({ kind: 'busy' } as const) };
  const deeper = { ...SIX_DEEP, default: { confirmations: 12 } };
  const says = 'the store is busy';
  await expect(takeExemptions(exemptions.parse([RULE]), { reads, queue })).rejects.toThrow(says);
  await expect(takePolicy(deeper, { reads, queue }, { isShared: true })).rejects.toThrow(says);
});
