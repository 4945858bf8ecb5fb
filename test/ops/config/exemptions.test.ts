import { expect, test } from 'vitest';
import { parseConfig, WHOLE, type Config, type Parsed } from '../../../src/ops/config/config.ts';

const OWNED = { reason: 'ticket 1', owner: 'finance' };

function parse(exemptions: unknown): Parsed<Config> {
  const config = {
    store: 'sqlite:x.db',
    intake: { pathTokens: ['a'.repeat(32)] },
    crediting: { default: { confirmations: 6 } },
    reconcile: { exemptions },
  };
  const checks = { flawOf: () => null, pairFlaw: () => null };
  return parseConfig(config, { part: WHOLE, folder: '/', checks });
}

test('a rule is read with its amount exact and its end as a moment', () => {
  const rule = {
    rule: 'rounding',
    asset: 'ethereum:ETH',
    breakType: 'amount_mismatch',
    direction: '>=',
    amount: `-${'9'.repeat(78)}`,
    until: '2026-12-31',
    ...OWNED,
  };
  const parsed = parse([rule]);
  expect(parsed.kind === 'ok' && parsed.config.reconcile.exemptions).toEqual([
    { ...rule, amount: -(10n ** 78n - 1n), until: Date.parse('2027-01-01T00:00:00Z') },
  ]);
});

test.for([
  ['2026-02-28', '2026-03-01T00:00:00Z'],
  ['2026-12-31T12:00:00+01:00', '2026-12-31T11:00:00Z'],
] as const)('until %s holds until %s', ([until, end]) => {
  const parsed = parse([{ rule: 'x', vaultId: 'v1', until, ...OWNED }]);
  expect(parsed.kind === 'ok' && parsed.config.reconcile.exemptions[0]?.until).toBe(
    Date.parse(end),
  );
});

const RULE = { rule: 'x', vaultId: 'v1', until: '2026-12-31', ...OWNED };

const BAD: [rules: unknown, problem: string][] = [
  [[{ ...RULE, until: '2026-02-30' }], 'reconcile.exemptions[0].until: must be a day'],
  [[{ ...RULE, until: 'soon' }], 'reconcile.exemptions[0].until: must be a day'],
  [
    [{ ...RULE, amount: '5' }],
    'reconcile.exemptions[0].direction: direction and amount go together',
  ],
  [[{ ...RULE, direction: '<=' }], 'direction and amount go together'],
  [[{ ...RULE, direction: '<', amount: '5' }], 'direction: must be "<=" or ">="'],
  [[{ ...RULE, direction: '<=', amount: 5 }], 'amount: must be a string of digits'],
  [
    [{ ...RULE, direction: '<=', amount: '0.5' }],
    'amount: must be an integer in the smallest unit',
  ],
  [[{ ...RULE, breakType: 'quarantined' }], 'breakType: must be one of missing_notification'],
  [[{ ...RULE, rule: '__proto__' }], 'rule: must be 1 to 64'],
  [[{ ...RULE, reason: ' ' }], 'reason: must not be empty'],
  [[{ ...RULE, vault: 'v1' }], 'unknown key "vault"'],
  [[{ rule: 'x', until: '2026-12-31', ...OWNED }], 'exempts everything: narrow it by asset'],
  [[RULE, RULE], 'reconcile.exemptions: contains two rules of one name'],
  [[{ ...RULE, owner: undefined }], 'owner'],
];

test.for(BAD)('%o is refused: %s', ([rules, problem]) => {
  const parsed = parse(rules);
  const problems = parsed.kind === 'ok' ? [] : parsed.problems;
  expect(problems.map(({ where, what }) => `${where}: ${what}`).join('\n')).toContain(problem);
});
