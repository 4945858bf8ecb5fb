import fc from 'fast-check';
import { expect, test } from 'vitest';
import { State } from '../../../src/simulator/state/state.ts';

interface Row {
  readonly key: string;
  readonly group: string;
  readonly value: number;
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const change = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    key,
    group: fc.constantFrom('x', 'y'),
    value: fc.nat(9),
  }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constantFrom('take' as const, 'go back' as const) }),
);

/** A state with one indexed table, and a copy that only the change hook keeps. */
function copied() {
  const state = new State({ seed: 1 });
  const table = state.table<Row>('rows');
  const groups = table.index((row) => [row.group]);
  const copy = new Map<string, unknown>();
  state.onChange(({ key: changed, record }) => {
    if (record === undefined) copy.delete(changed);
    else copy.set(changed, record);
  });
  return { state, table, groups, copy };
}

test('a copy made from the changes has the same rows in the same order, after restores too', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { state, table, copy } = copied();
      let snapshot = state.snapshot();
      for (const each of changes) {
        if (each.kind === 'put') table.put(each.key, each);
        else if (each.kind === 'delete') table.delete(each.key);
        else if (each.kind === 'take') snapshot = state.snapshot();
        else state.restore(snapshot);
        expect([...copy]).toEqual([...table.entries()]);
      }
    }),
  );
});

test('an index finds rows in an order that a restore does not change', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { state, table, groups } = copied();
      for (const each of changes) {
        if (each.kind === 'put') table.put(each.key, each);
        else if (each.kind === 'delete') table.delete(each.key);
      }
      const found = [groups.find('x'), groups.find('y')];
      const rows = [...table.list()];
      expect(found).toEqual(['x', 'y'].map((group) => rows.filter((row) => row.group === group)));
      state.restore(state.snapshot());
      expect([groups.find('x'), groups.find('y')]).toEqual(found);
    }),
  );
});
