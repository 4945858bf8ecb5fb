import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  breakKey,
  finding,
  type BreakType,
  type Finding,
  UNKNOWN_AFTER_CREDIT,
} from '../../../src/domain/break/break.ts';
import {
  activeExemptionsByHash,
  countByRule,
  isOnRecord,
  exemptionOf,
  parted,
  sameExemptions,
  sumByRule,
  underRules,
  type ExemptibleType,
  type ExemptionRule,
} from '../../../src/domain/break/exemption.ts';
import {
  AssetId,
  BlockchainHash,
  DepositId,
  NetworkKey,
  VaultId,
} from '../../../src/domain/ids.ts';

const UNTIL = 1_000;
const BEFORE = UNTIL - 1;

function found(
  difference: bigint | null,
  type: BreakType = 'conservation',
  expected = 100n,
): Finding {
  return finding(type, {
    key: breakKey(type, 'x'),
    subject: {
      vaultId: VaultId('v1'),
      network: NetworkKey('ethereum'),
      blockchainHash: BlockchainHash('0xa1'),
      asset: AssetId('ethereum:ETH'),
    },
    expected: difference === null ? null : Amount(expected),
    actual: difference === null ? null : Amount(expected + difference),
    detail: 'x',
  });
}

function ruleOf(narrowing: Partial<ExemptionRule>): ExemptionRule {
  return { rule: 'known', until: UNTIL, reason: 'ticket 1', owner: 'fin', ...narrowing };
}

const AMOUNTS: [
  direction: '<=' | '>=',
  amount: bigint,
  difference: bigint | null,
  exempt: boolean,
][] = [
  ['<=', -5n, -6n, true],
  ['<=', -5n, -5n, true],
  ['<=', -5n, -4n, false],
  ['<=', -5n, 6n, false],
  ['>=', -5n, -5n, true],
  ['>=', -5n, -6n, false],
  ['>=', 5n, 5n, true],
  ['>=', 5n, 4n, false],
  ['<=', 0n, 0n, true],
  ['>=', 10n ** 77n, 10n ** 77n, true],
  ['>=', 10n ** 77n, 10n ** 77n - 1n, false],
  // Figures that are not known are within no bound.
  ['<=', 0n, null, false],
  ['>=', 0n, null, false],
];

test.for(AMOUNTS)('difference %s %s %s: exempt %s', ([direction, amount, difference, exempt]) => {
  const rule = ruleOf({ direction, amount: Amount(amount) });
  const match = exemptionOf(found(difference), { rules: [rule], at: BEFORE });
  expect(match !== undefined).toBe(exempt);
});

test.for<Partial<ExemptionRule>>([{ direction: '<=' }, { amount: Amount(0n) }])(
  'half a bound, %o, is none',
  (narrowing) => {
    const exemptions = { rules: [ruleOf(narrowing)], at: BEFORE };
    expect(exemptionOf(found(5n), exemptions)?.rule).toBe('known');
    expect(exemptionOf(found(-5n), exemptions)?.rule).toBe('known');
  },
);

const SUBJECTS: [narrowing: Partial<ExemptionRule>, exempt: boolean][] = [
  [{ asset: 'ethereum:ETH' }, true],
  [{ asset: 'ethereum:USDC' }, false],
  [{ vaultId: 'v1' }, true],
  [{ vaultId: 'v2' }, false],
  [{ network: 'ethereum', blockchainHash: '0xa1' }, true],
  [{ network: 'ethereum', blockchainHash: '0xa2' }, false],
  [{ network: 'bitcoin', blockchainHash: '0xa1' }, false],
  [{ breakType: 'conservation' }, true],
  [{ breakType: 'amount_mismatch' }, false],
];

test.for(SUBJECTS)('a rule for %o: exempt %s', ([narrowing, exempt]) => {
  const match = exemptionOf(found(-1n), { rules: [ruleOf(narrowing)], at: BEFORE });
  expect(match !== undefined).toBe(exempt);
});

test('a rule for an asset says nothing about a difference without one', () => {
  const bare = finding('status_mismatch', { key: 'x', detail: 'x' });
  const rules = [ruleOf({ asset: 'ethereum:ETH' })];
  expect(exemptionOf(bare, { rules, at: BEFORE })).toBeUndefined();
});

test('a rule ends at its very moment', () => {
  const rules = [ruleOf({ vaultId: 'v1' })];
  expect(exemptionOf(found(1n), { rules, at: BEFORE })?.rule).toBe('known');
  expect(exemptionOf(found(1n), { rules, at: UNTIL })).toBeUndefined();
});

test.for([
  'reversal_after_credit',
  'unattributed_memo',
  'decimals_changed',
  'id_conflict',
  'quarantined',
  'malformed',
  'stale_deposit',
] as const)('%s is never exempt: it is no comparison of two sides', (type) => {
  const rules = [ruleOf({ vaultId: 'v1' })];
  expect(exemptionOf(found(1n, type), { rules, at: BEFORE })).toBeUndefined();
});

test.for<
  [
    type: ExemptibleType,
    severity: Finding['severity'],
    subject: Partial<Finding['subject']>,
    is: boolean,
  ]
>([
  ['status_mismatch', 'warning', { depositId: DepositId('d1') }, true],
  ['status_mismatch', 'critical', {}, true],
  ['status_mismatch', 'critical', { depositId: DepositId('d1') }, false],
  ['amount_mismatch', 'critical', { depositId: DepositId('d1') }, true],
])('whether a rule exempts a %s of severity %s about %o: %s', ([type, severity, subject, is]) => {
  const about = finding(type, { key: 'x', detail: 'x', severity, subject });
  const rules = [ruleOf({ breakType: type })];
  expect(exemptionOf(about, { rules, at: BEFORE }) !== undefined).toBe(is);
});

test.for([
  [{ breakType: 'unknown_to_custody' }, false],
  [{ vaultId: 'v1' }, false],
  [{ breakType: 'unknown_to_custody', blockchainHash: '0xa1' }, true],
] as const)(
  'whether the rule %o exempts a credited deposit that is gone: %s',
  ([narrowing, is]) => {
    const { subject } = found(-1n);
    const detail = `the custody API does not know this transaction: ${UNKNOWN_AFTER_CREDIT}`;
    const gone = finding('unknown_to_custody', { key: 'x', detail, subject });
    const rules = [ruleOf(narrowing)];
    expect(exemptionOf(gone, { rules, at: BEFORE }) !== undefined).toBe(is);
  },
);

test.for([
  ['an unknown deposit before its credit', 'unknown_to_custody', 'do not credit it'],
  ['another difference with the same words', 'conservation', UNKNOWN_AFTER_CREDIT],
] as const)('a rule for a vault exempts %s', ([, type, detail]) => {
  const about = finding(type, { key: 'x', detail, subject: found(-1n).subject });
  expect(exemptionOf(about, { rules: [ruleOf({ vaultId: 'v1' })], at: BEFORE })).toBeDefined();
});

test('the first rule in force names the exemption', () => {
  const rules = [
    ruleOf({ rule: 'ended', vaultId: 'v1', until: 10 }),
    ruleOf({ rule: 'first', vaultId: 'v1' }),
    ruleOf({ rule: 'second', asset: 'ethereum:ETH' }),
  ];
  const here = found(1n);
  const elsewhere = { ...found(2n), subject: { ...here.subject, vaultId: VaultId('v2') } };
  const open = { ...elsewhere, subject: { ...elsewhere.subject, asset: null } };
  expect(parted([here, elsewhere, open], { rules, at: BEFORE })).toEqual({
    found: [open],
    exempt: [
      { finding: here, rule: 'first' },
      { finding: elsewhere, rule: 'second' },
    ],
  });
});

test('only a break becomes exempt: matched and skipped outcomes stay', () => {
  const exemptions = { rules: [ruleOf({ vaultId: 'v1' })], at: BEFORE };
  const broken = { kind: 'break', finding: found(1n) } as const;
  expect(underRules(broken, exemptions)).toEqual({ kind: 'exempt', rule: 'known' });
  expect(underRules(broken, { ...exemptions, at: UNTIL })).toBe(broken);
  for (const outcome of [{ kind: 'matched' }, { kind: 'skipped', cause: 'in_grace' }] as const) {
    expect(underRules(outcome, exemptions)).toBe(outcome);
  }
});

const EXEMPT = { finding: found(-1n), rule: 'known' };

test.for<[what: string, now: Partial<Finding>, is: boolean]>([
  ['as it is', {}, true],
  ['with another expectation', { expected: Amount(1n) }, false],
  ['with another figure of ours', { actual: Amount(1n) }, false],
  ['with another severity', { severity: 'info' }, false],
  ['in other words', { detail: 'y' }, false],
])('an exempt difference %s is on record: %s', ([, now, is]) => {
  expect(isOnRecord(EXEMPT, { ...EXEMPT, finding: { ...EXEMPT.finding, ...now } })).toBe(is);
});

test('an exempt difference is on record under its own rule alone', () => {
  expect(isOnRecord(EXEMPT, { ...EXEMPT, rule: 'another' })).toBe(false);
  expect(isOnRecord(undefined, EXEMPT)).toBe(false);
});

test('exempt differences with a rule in force are found by their hash', () => {
  const at = (hash: string | null): Finding => ({
    ...found(1n),
    subject: { ...found(1n).subject, blockchainHash: hash === null ? null : BlockchainHash(hash) },
  });
  const [rebate, dust] = [ruleOf({ rule: 'rebate' }), ruleOf({ rule: 'dust' })];
  const [first, second, third] = [at('0xa1'), at('0xa1'), at('0xb2')];
  const exempt = [
    { finding: first, rule: 'rebate' },
    { finding: third, rule: 'rebate' },
    { finding: second, rule: 'dust' },
    { finding: at('0xc3'), rule: 'ended' },
    { finding: at(null), rule: 'dust' },
  ];
  expect([...activeExemptionsByHash(exempt, [rebate, dust])]).toEqual([
    [
      '0xa1',
      [
        { finding: first, rule: rebate },
        { finding: second, rule: dust },
      ],
    ],
    ['0xb2', [{ finding: third, rule: rebate }]],
  ]);
});

test('counts are by rule, for any name of a rule', () => {
  const exempt = [{ rule: 'constructor' }, { rule: 'b' }, { rule: 'constructor' }];
  const counts = sumByRule({ b: 4 }, countByRule(exempt));
  expect(Object.entries(counts)).toEqual([
    ['b', 5],
    ['constructor', 2],
  ]);
});

test('a million differences that a rule exempts are counted', () => {
  const exempt = Array.from({ length: 1_000_000 }, () => ({ rule: 'rebate' }));
  expect(countByRule(exempt)).toEqual({ rebate: 1_000_000 });
});

test('rules are the same only in the same order', () => {
  const [one, two] = [ruleOf({ vaultId: 'v1' }), ruleOf({ rule: 'two', amount: Amount(1n) })];
  expect(sameExemptions([one, two], [{ ...one }, { ...two }])).toBe(true);
  expect(sameExemptions([one, two], [two, one])).toBe(false);
  expect(sameExemptions([one], [one, two])).toBe(false);
  expect(sameExemptions([two], [{ ...two, amount: Amount(2n) }])).toBe(false);
  expect(sameExemptions([one], [{ ...one, network: 'x' }])).toBe(false);
  expect(sameExemptions([one, two], [one, { ...two, owner: 'ops' }])).toBe(false);
  expect(sameExemptions([one, two], [{ ...one, owner: 'ops' }, two])).toBe(false);
});
