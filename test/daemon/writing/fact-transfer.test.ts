import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { forTransfer } from '../../../src/daemon/writing/fact-transfer.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { readTrace, trace, traceNames } from '../../house/trace.ts';
import { balanceChange } from '../../store/evidence.ts';
import { factOf, START } from '../../store/open-ledger.ts';

/** The facts as the other thread receives them. */
function arrived(given: readonly Fact[]): Fact[] {
  const { facts, transfer } = forTransfer(given);
  return structuredClone(facts, { transfer });
}

const DECISION: Fact = {
  kind: 'decision',
  at: START,
  actor: 'ann',
  decision: { kind: 'retry', quarantineId: 'qtn_1', reason: 'upgraded' },
};

const DELIVERED = traceNames().flatMap((name) =>
  trace.parse(readTrace(name)).steps.flatMap((step) => ('deliver' in step ? [step.deliver] : [])),
);

test('facts of every kind cross as they are, bodies byte by byte', () => {
  const facts = [
    DECISION,
    ...DELIVERED.map((body, index) => factOf(JSON.stringify(body), START + index)),
    factOf('{"id":"q","stream":"new"}', START),
    DECISION,
    factOf('garbage', START),
    factOf('', START),
  ];
  const kinds = new Set(facts.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['decision', 'notification', 'quarantined', 'refused']);
  expect(arrived(facts)).toEqual(facts);
});

test('the bodies of facts that cross together are parts of one buffer', () => {
  const facts = arrived(DELIVERED.map((body) => factOf(JSON.stringify(body), START)));
  const bodies = facts.flatMap((fact) => ('raw' in fact ? [fact.raw] : []));
  expect(bodies.length).toBe(facts.length);
  expect(new Set(bodies.map(({ buffer }) => buffer)).size).toBe(1);
});

test('amounts of any size cross, and no list of changes is not an empty one', () => {
  const fact = factOf(JSON.stringify(DELIVERED[0]), START);
  if (fact.kind !== 'notification') throw new Error(`it is ${fact.kind}`);
  const amounts = fc.array(fc.bigInt({ min: -(10n ** 78n), max: 10n ** 78n }));
  fc.assert(
    fc.property(fc.option(amounts), (given) => {
      const changes = given?.map((amount) => balanceChange(Amount(amount))) ?? null;
      const changed = { ...fact, notification: { ...fact.notification, changes } };
      expect(arrived([changed])).toEqual([changed]);
    }),
  );
});
