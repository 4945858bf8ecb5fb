import { expect, onTestFinished, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import { takeExemptions } from '../../../src/daemon/start/configured-exemptions.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { OpenLedger, openLedger, openLedgerFile } from '../open-ledger.ts';
import { audit } from './audited.ts';
import { change, Service } from '../webhook.ts';

const FOR_EVER = Date.parse('9999-12-31T00:00:00Z');

function ruleOf(narrowing: Partial<ExemptionRule>): ExemptionRule {
  return { rule: 'known', until: FOR_EVER, reason: 'ticket 1', owner: 'fin', ...narrowing };
}

const COVERING = ruleOf({ breakType: 'conservation', direction: '>=', amount: Amount(-30n) });

/** The books moved 70 where the chain moved 100: an open break. */
async function breakIn<Open extends OpenLedger>(open: Open): Promise<Open> {
  const service = new Service();
  await open.deliver(
    service.confirmed(1, { balanceChanges: [change('70')] }),
    service.chain('transaction'),
  );
  await open.run();
  expect(open.openBreaks()).toEqual(['conservation']);
  return open;
}

function resolutions(open: OpenLedger): (string | null)[] {
  return open.breaks().map(({ resolution }) => resolution);
}

test('the next run closes the break that a person’s rule matches, and opens it when the rule is ended', async () => {
  const open = await breakIn(await openLedger());
  await open.decide({ kind: 'exempt', rule: COVERING }, 'olga');
  expect(open.openBreaks()).toEqual(['conservation']);
  await open.run();
  expect([open.openBreaks(), resolutions(open)]).toEqual([[], ['exempt: known']]);
  await open.decide({ kind: 'end-exemption', rule: 'known', reason: 'repaired' }, 'fiona');
  await open.run();
  expect([open.openBreaks(), open.breaks().length]).toEqual([['conservation'], 2]);
  expect(audit(open)).toEqual([]);
});

test('a person’s rule that covers less leaves the break open', async () => {
  const open = await breakIn(await openLedger());
  await open.decide({ kind: 'exempt', rule: { ...COVERING, amount: Amount(-29n) } }, 'olga');
  await open.run();
  expect(open.openBreaks()).toEqual(['conservation']);
});

test('a refused decision changes nothing, and is not in the journal', async () => {
  const open = await openLedger();
  await open.decide({ kind: 'exemptions', rules: [COVERING] }, 'config');
  const head = open.journalLength();
  const ended = await open.decide({ kind: 'end-exemption', rule: 'known', reason: 'x' });
  const again = await open.decide({ kind: 'exempt', rule: COVERING });
  expect([ended.kind, again.kind, open.journalLength()]).toEqual(['not_taken', 'not_taken', head]);
});

test('two people cannot add one name in one commit', async () => {
  const open = await openLedger();
  const decision = { kind: 'exempt', rule: COVERING } as const;
  const outcomes = await open.commit([
    { kind: 'decision', at: open.at, actor: 'olga', decision },
    { kind: 'decision', at: open.at, actor: 'otto', decision },
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['taken', 'not_taken']);
});

test('people’s rules outlast a restart and every change of the configuration', async () => {
  const { open, path } = await openLedgerFile();
  const configured = ruleOf({ rule: 'first', vaultId: 'v8' });
  await open.decide({ kind: 'exemptions', rules: [configured] }, 'config');
  await breakIn(open);
  await open.decide({ kind: 'exempt', rule: COVERING }, 'olga');
  const addedAt = open.at;
  open.close();

  const again = new OpenLedger(path, { sharing: null });
  again.at = addedAt;
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const submitted: unknown[] = [];
  const queue = {
    submit: async (fact: Parameters<typeof again.commit>[0][number]) => {
      submitted.push(fact);
      const [outcome] = await again.commit([fact]);
      if (outcome === undefined) throw new Error('no outcome');
      return outcome;
    },
  };
  // The same configuration: nothing to journal, although a person has added a rule since.
  await takeExemptions([configured], { reads, queue });
  expect(submitted).toEqual([]);
  await again.run();
  expect([again.openBreaks(), resolutions(again)]).toEqual([[], ['exempt: known']]);

  await takeExemptions([], { reads, queue });
  expect(submitted).toHaveLength(1);
  const { rules, configuredAt } = await reads.exemptions();
  expect(rules).toEqual([{ ...COVERING, added: { by: 'olga', at: addedAt } }]);
  expect(configuredAt).not.toBeNull();
  await again.run();
  expect(again.openBreaks()).toEqual([]);
  expect(audit(again)).toEqual([]);
});

test('rules of the configuration alone are stored as before', async () => {
  const open = await openLedger();
  await open.decide({ kind: 'exemptions', rules: [COVERING] }, 'config');
  expect(open.rows('SELECT actor, rules FROM exemptions')).toEqual([
    {
      actor: 'config',
      rules: `[{"rule":"known","until":${FOR_EVER},"reason":"ticket 1","owner":"fin","breakType":"conservation","direction":">=","amount":"-30"}]`,
    },
  ]);
});
