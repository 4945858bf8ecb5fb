import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import type { RuleContext } from '../../../src/domain/hash/hash-state.ts';
import { CreditId, IdMint, Memo } from '../../../src/domain/ids.ts';
import { reverseCredit, evaluate, type Evaluated } from '../../../src/domain/deposit/evaluation.ts';
import { DUE } from '../records.ts';

const SIX_DEEP: CreditingPolicy = { default: { confirmations: 6 }, networks: {}, assets: {} };
const NEED_MEMO: CreditingPolicy = {
  ...SIX_DEEP,
  default: { confirmations: 6, requireMemo: true },
};

function now(policy = SIX_DEEP): RuleContext {
  const mint = new IdMint(7, (text) => `<${text}>`);
  return { at: 99, source: 'webhook', mint, policy, pinnedDecimals: () => undefined };
}

/** What becomes of a deposit in words: state, feed, breaks found, breaks healed. */
function words({ deposit, items, found, healed }: Evaluated): string[] {
  return [
    deposit.reason === null ? deposit.state : `${deposit.state}: ${deposit.reason}`,
    ...items.map(({ kind, amount }) => `${kind} ${amount}`),
    ...found.map(({ type }) => `found ${type}`),
    ...healed.map(({ key, reason }) => `healed ${key}: ${reason}`),
  ];
}

const HELD = { state: 'held', reason: 'unattributed_memo', unattributed: true } as const;
const MEMO_KEY = '["unattributed_memo","dep_1"]';
const DECIMALS_KEY = '["decimals_changed","dep_1"]';

const BECOMES: [why: string, facts: Partial<Deposit>, policy: CreditingPolicy, is: string[]][] = [
  ['every gate is open', {}, SIX_DEEP, ['credited', 'credit 100']],
  ['nobody verified it', { verifiedAt: null }, SIX_DEEP, ['verifying']],
  [
    'a memo that nobody knows',
    { unattributed: true },
    SIX_DEEP,
    ['held: unattributed_memo', 'found unattributed_memo'],
  ],
  ['the same, known already', HELD, SIX_DEEP, ['held: unattributed_memo']],
  [
    'no memo where one is needed',
    {},
    NEED_MEMO,
    ['held: memo_required', 'found unattributed_memo'],
  ],
  [
    'a memo needed of one that was held for another: one break',
    { ...HELD, unattributed: false },
    NEED_MEMO,
    ['held: memo_required'],
  ],
  [
    'attributed by a person',
    { ...HELD, attributedTo: 'customer 7' },
    SIX_DEEP,
    ['credited', 'credit 100', `healed ${MEMO_KEY}: the deposit is credited now`],
  ],
  [
    'other decimals than when the asset was first seen',
    { decimalsChanged: true },
    SIX_DEEP,
    ['held: decimals_changed', 'found decimals_changed'],
  ],
  [
    'attributed, and its decimals are another matter',
    { ...HELD, attributedTo: 'customer 7', decimalsChanged: true },
    SIX_DEEP,
    [
      'held: decimals_changed',
      'found decimals_changed',
      `healed ${MEMO_KEY}: the deposit is held now`,
    ],
  ],
  [
    'decimals explained',
    { state: 'held', reason: 'decimals_changed', verifiedAt: null },
    SIX_DEEP,
    ['verifying', `healed ${DECIMALS_KEY}: the deposit is verifying now`],
  ],
  ['held as dust: no break', { amount: Amount(-1n) }, SIX_DEEP, ['held: dust']],
  [
    'a reason left over from a hold that is long gone',
    { state: 'confirming', reason: 'decimals_changed', verifiedAt: null },
    SIX_DEEP,
    ['verifying'],
  ],
];

describe('a deposit is evaluated', () => {
  test.for(BECOMES)('%s', ([, facts, policy, is]) => {
    expect(words(evaluate({ ...DUE, ...facts }, now(policy)))).toEqual(is);
  });

  const DETAILS: [facts: Partial<Deposit>, policy: CreditingPolicy, says: string][] = [
    [
      { unattributed: true, memo: Memo('al"ice') },
      SIX_DEEP,
      'deposit of 100 ethereum:ETH with memo "al\\"ice" that is not registered: attribute it to its owner, or register the memo',
    ],
    [
      {},
      NEED_MEMO,
      'deposit of 100 ethereum:ETH with no memo: attribute it to its owner, or register the memo',
    ],
    [
      { decimalsChanged: true },
      SIX_DEEP,
      'asset ethereum:ETH arrived with other decimals than when first seen: check the asset before releasing',
    ],
  ];

  test.for(DETAILS)('and its break says what to do: %o', ([facts, policy, says]) => {
    const { found } = evaluate({ ...DUE, ...facts }, now(policy));
    expect(found.map(({ detail }) => detail)).toEqual([says]);
  });

  test('a hold names the deposit that it is about', () => {
    const { found } = evaluate({ ...DUE, decimalsChanged: true }, now());
    const { vaultId, network, blockchainHash, asset, transactionId, depositId } = DUE;
    expect(found).toMatchObject([
      {
        key: DECIMALS_KEY,
        subject: { vaultId, network, blockchainHash, asset, transactionId, depositId },
      },
    ]);
  });
});

describe('a credit', () => {
  test('is numbered within its deposit, and keeps the credited amount', () => {
    const { deposit, items } = evaluate({ ...DUE, creditsIssued: 1 }, now());
    const creditId = 'crd_<["dep_1","credit",2]>';
    expect(deposit).toMatchObject({
      credit: { creditId, amount: 100n, creditedAt: 99, reference: null },
      creditsIssued: 2,
      requiredConfirmations: 6,
      updatedAt: 99,
    });
    expect(items).toEqual([{ creditId, kind: 'credit', amount: 100n, reverses: null, deposit }]);
  });

  const credit = {
    creditId: CreditId('crd_1'),
    amount: Amount(90n),
    creditedAt: 9,
    reference: 'r',
  };
  const gone: Deposit = {
    ...DUE,
    evidence: 'none',
    verifiedAt: null,
    credit,
    creditsIssued: 3,
    state: 'settled',
  };

  test('is taken back whole, by a reversal of its own name', () => {
    const { deposit, items } = reverseCredit(gone, now());
    expect(deposit).toMatchObject({
      state: 'reversed',
      credit: null,
      reversed: 'crd_1',
      creditsIssued: 3,
      updatedAt: 99,
    });
    expect(items).toEqual([
      {
        creditId: 'crd_<["dep_1","reversal",3]>',
        kind: 'reversal',
        amount: 90n,
        reverses: 'crd_1',
        deposit,
      },
    ]);
  });

  test('that was taken back may be due again at once, after its reversal', () => {
    const items = reverseCredit({ ...DUE, credit, creditsIssued: 1 }, now()).items;
    expect(items.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      'reversal 90',
      'credit 100',
    ]);
  });

  test('that is not active is not taken back', () => {
    expect(words(reverseCredit({ ...gone, credit: null }, now()))).toEqual(['rolled_back']);
  });
});
