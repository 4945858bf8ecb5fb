import { expect, test } from 'vitest';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import {
  addedIn,
  changeExemptions,
  configuredIn,
  withConfigured,
  type ExemptionDecision,
  type HeldExemption,
} from '../../../src/domain/break/held-exemptions.ts';

const NOW = 1_000;
const BY_OLGA = { by: 'olga', at: 500 };

function rule(name: string, until = 2_000): ExemptionRule {
  return { rule: name, vaultId: 'v1', until, reason: 'ticket 1', owner: 'fin' };
}

const HELD: readonly HeldExemption[] = [
  rule('old wallet'),
  { ...rule('dust'), added: BY_OLGA },
  { ...rule('past', NOW), added: BY_OLGA },
];

function add(name: string, until?: number): ExemptionDecision {
  return { kind: 'exempt', rule: rule(name, until) };
}

function end(name: string): ExemptionDecision {
  return { kind: 'end-exemption', rule: name, reason: 'repaired' };
}

function outcome(decision: ExemptionDecision, held = HELD): unknown {
  const changed = changeExemptions(held, decision, { actor: 'fiona', at: NOW });
  return changed.kind === 'refused'
    ? `${changed.refusal.kind}: ${changed.refusal.detail}`
    : changed.rules.map((one) => [one.rule, one.until, one.added?.by ?? 'config']);
}

const CONFIGURED = ['old wallet', 2_000, 'config'];
const DUST = ['dust', 2_000, 'olga'];
const PAST = ['past', 1_000, 'olga'];

test.for<[string, ExemptionDecision, unknown]>([
  ['a new name', add('rounding'), [CONFIGURED, DUST, PAST, ['rounding', 2_000, 'fiona']]],
  ['the name of a rule that has ended', add('past'), [CONFIGURED, DUST, ['past', 2_000, 'fiona']]],
  [
    'a rule that ends in the next moment',
    add('x', 1_001),
    [CONFIGURED, DUST, PAST, ['x', 1_001, 'fiona']],
  ],
  ['an end of a person’s rule', end('dust'), [CONFIGURED, PAST]],
  ['an end of a rule that has ended', end('past'), [CONFIGURED, DUST]],
  [
    'a name in force',
    add('dust'),
    'conflict: a rule "dust" is in force: end it, or choose another name',
  ],
  [
    'a configured name',
    add('old wallet'),
    'conflict: the configuration has a rule "old wallet": choose another name',
  ],
  [
    'a rule that has ended',
    add('x', NOW),
    'conflict: the rule "x" has ended already: give a later end',
  ],
  [
    'an end of no rule',
    end('nothing'),
    'not_found: there is no exemption rule "nothing": list them with GET /v1/exemptions',
  ],
  [
    'an end of a configured rule',
    end('old wallet'),
    'conflict: the rule "old wallet" is the configuration\'s: remove it from reconcile.exemptions and restart',
  ],
])('%s', ([, decision, expected]) => {
  expect(outcome(decision)).toEqual(expected);
});

test('people add at most 200 rules beside any number in the configuration', () => {
  const configured = Array.from({ length: 300 }, (_, at) => rule(`c${at}`));
  const added = Array.from({ length: 199 }, (_, at) => ({ ...rule(`p${at}`), added: BY_OLGA }));
  const held = [...configured, ...added];
  const taken = changeExemptions(held, add('last'), { actor: 'fiona', at: NOW });
  if (taken.kind === 'refused') throw new Error(taken.refusal.detail);
  expect(addedIn(taken.rules)).toHaveLength(200);
  expect(outcome(add('more'), taken.rules)).toBe(
    'conflict: people have added 200 rules: end one that is not needed',
  );
});

test('a configured set replaces configured rules, and a person’s rule only of the same name', () => {
  const set = [rule('second'), rule('dust')];
  const rules = withConfigured(HELD, set);
  expect(rules.map((one) => one.rule)).toEqual(['second', 'dust', 'past']);
  expect(configuredIn(rules)).toEqual(set);
  expect(addedIn(withConfigured(HELD, [])).map((one) => one.rule)).toEqual(['dust', 'past']);
});
