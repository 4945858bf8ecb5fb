import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import {
  breakKey,
  finding,
  opened,
  resolved,
  type Break,
  type BreakType,
} from '../../../../src/domain/break/break.ts';
import type { ExemptionRule, ActiveExemption } from '../../../../src/domain/break/exemption.ts';
import { AssetId, BreakId, NetworkKey, VaultId } from '../../../../src/domain/ids.ts';
import type { PositionLine } from '../../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, HASH_KEY, line } from '../day-lines.ts';
import { AT, NOT_READ, chain, found, later, words, young, type Case } from './difference-case.ts';

describe('a break about a difference', () => {
  const about = { vaultId: AT.vaultId, network: HASH_KEY.network, asset: AT.asset };

  function open(subject: object = about): Break {
    const key = breakKey('conservation', '0xa1');
    const difference = finding('conservation', { key, subject, detail: 'it does not add up' });
    return opened(difference, BreakId('brk_1'), 1).after;
  }
  function closed(actor: string): Break {
    return resolved(open(), { actor, reason: 'seen', at: 2 }).after;
  }

  const BREAKS: [why: string, breaks: () => Break[], explanation: string][] = [
    ['open about the very place', () => [open()], 'break brk_1'],
    ['investigated', () => [{ ...open(), state: 'investigating' }], 'break brk_1'],
    ['about the hash wherever it is', () => [open({})], 'break brk_1'],
    ['about another vault', () => [open({ ...about, vaultId: VaultId('v2') })], 'unexplained'],
    ['about another asset', () => [open({ ...about, asset: AssetId('X') })], 'unexplained'],
    ['about another network', () => [open({ ...about, network: NetworkKey('x') })], 'unexplained'],
    ['resolved by a person', () => [closed('ann')], 'resolved_break brk_1'],
    ['healed by itself', () => [closed('reconciler')], 'unexplained'],
    ['resolved once and open again', () => [closed('ann'), open()], 'break brk_1'],
  ];

  test.for(BREAKS)('%s', ([, breaks, explanation]) => {
    const lines = [chain(7n), line(2n)];
    expect(
      found({ lines, says: 3n, breaks: breaks() }).map(({ explanation: kind, breakId }) =>
        breakId === null ? kind : `${kind} ${breakId}`,
      ),
    ).toEqual([explanation, explanation]);
  });

  test.for<[type: BreakType, explanation: string]>([
    ['missing_notification', 'resolved_break'],
    ['unknown_to_custody', 'resolved_break'],
    ['amount_mismatch', 'resolved_break'],
    ['amount_changed', 'resolved_break'],
    ['status_mismatch', 'resolved_break'],
    ['unexplained_movement', 'resolved_break'],
    ['stale_deposit', 'unexplained'],
    ['reversal_after_credit', 'unexplained'],
    ['unattributed_memo', 'unexplained'],
  ])('%s, resolved by a person: %s, and in older days resolved_break', ([type, explanation]) => {
    const breaks = [{ ...closed('ann'), type }];
    const kinds = (old: boolean) =>
      found({ lines: [line(2n)], says: 3n, breaks, old }).map((one) => one.explanation);
    expect(kinds(false)).toContain(explanation);
    expect(kinds(true)).toEqual(['resolved_break']);
  });

  test('says what it is, and who resolved it why', () => {
    const lines = [chain(7n)];
    const detail = (breaks: Break[]) => found({ lines, custody: NOT_READ, breaks })[0]?.detail;
    expect(detail([open()])).toBe('conservation: it does not add up');
    expect(detail([closed('ann')])).toBe('conservation, resolved by ann: seen');
  });

  test('counts before age while it is open, and after it once a person resolved it', () => {
    const lines = [chain(7n, young), line(2n)];
    const kinds = (breaks: Break[]) =>
      found({ lines, says: 3n, breaks }).map(({ explanation }) => explanation);
    expect(kinds([open()])).toEqual(['break', 'break']);
    expect(kinds([closed('ann')])).toEqual(['in_grace', 'in_grace']);
  });

  test('does not hide that both sides agree by now', () => {
    const lines = [chain(7n), line(7n, later)];
    expect(words(found({ lines, says: 7n, breaks: [open()] }))).toEqual([
      'custody -7 timing: booked after the cut-off; both agree by now',
      'chain -7 timing: the other side was told after the cut-off; both agree by now',
    ]);
  });
});

describe('an exemption of a difference', () => {
  const about = { vaultId: AT.vaultId, network: HASH_KEY.network, asset: AT.asset };

  function exempt(
    more: Partial<ExemptionRule> = {},
    { type = 'conservation', subject = about }: { type?: BreakType; subject?: object } = {},
  ): ActiveExemption {
    const key = breakKey(type, '0xa1');
    return {
      finding: finding(type, { key, subject, detail: 'it does not add up' }),
      rule: { rule: 'rounding', owner: 'fin', reason: 'ticket 1', until: CUT_OFF, ...more },
    };
  }

  /** Books 2, chain 7 (−5), custody 3 (−1). */
  const APART = { lines: [chain(7n), line(2n)], says: 3n };
  const elsewhere = { ...about, vaultId: VaultId('v2') };

  const EXEMPT: [why: string, exemptions: ActiveExemption[], custody: string, chain: string][] = [
    ['about the very place', [exempt()], 'exempt', 'exempt'],
    ['about the hash wherever it is', [exempt({}, { subject: {} })], 'exempt', 'exempt'],
    ['about another vault', [exempt({}, { subject: elsewhere })], 'unexplained', 'unexplained'],
    ['that ended with the day', [exempt({ until: CUT_OFF })], 'exempt', 'exempt'],
    ['that ended before', [exempt({ until: CUT_OFF - 1 })], 'unexplained', 'unexplained'],
    [
      'of up to 1 less',
      [exempt({ direction: '>=', amount: Amount(-1n) })],
      'exempt',
      'unexplained',
    ],
    [
      'of more than custody',
      [exempt({ direction: '>=', amount: Amount(0n) })],
      'unexplained',
      'unexplained',
    ],
    [
      'of what custody says',
      [exempt({}, { type: 'missing_notification' })],
      'exempt',
      'unexplained',
    ],
    [
      'of a movement that nobody explained',
      [exempt({}, { type: 'unexplained_movement' })],
      'exempt',
      'exempt',
    ],
    ['by the second rule that is about it', [exempt({ until: 0 }), exempt()], 'exempt', 'exempt'],
  ];

  test.for(EXEMPT)('%s', ([, exemptions, custody, inChain]) => {
    const kinds = found({ ...APART, exemptions }).map(({ explanation }) => explanation);
    expect(kinds).toEqual([custody, inChain]);
  });

  test('says what is exempt, by which rule, and whose it is', () => {
    const exemptions = [exempt()];
    expect(words(found({ lines: [chain(7n)], custody: NOT_READ, exemptions }))).toEqual([
      'chain -7 exempt: conservation, exempt by the rule "rounding" of fin: ticket 1',
    ]);
  });

  test('explains nothing in a day that was closed before it did', () => {
    const kinds = found({ ...APART, exemptions: [exempt()], old: true });
    expect(kinds.map(({ explanation }) => explanation)).toEqual(['unexplained', 'unexplained']);
  });

  test('hides no open break, and not that both sides agree by now', () => {
    const exemptions = [exempt()];
    const key = breakKey('amount_mismatch', '0xa1');
    const difference = finding('amount_mismatch', { key, subject: about, detail: 'd' });
    const breaks = [opened(difference, BreakId('brk_1'), 1).after];
    const kinds = (given: Case) => found(given).map(({ explanation }) => explanation);
    expect(kinds({ ...APART, exemptions, breaks })).toEqual(['break', 'break']);
    expect(kinds({ lines: [chain(7n), line(7n, later)], says: 7n, exemptions })).toEqual([
      'timing',
      'timing',
    ]);
  });

  test('counts before age, and after what the books themselves explain', () => {
    const exemptions = [exempt()];
    const kinds = (lines: readonly PositionLine[]) =>
      found({ lines, says: 3n, exemptions }).map(({ explanation }) => explanation);
    expect(kinds([chain(7n, young), line(2n)])).toEqual(['exempt', 'exempt']);
    expect(kinds([line(4n, { cause: 'suspense' }), line(3n, { entryId: 2 })])).toEqual([
      'suspense',
    ]);
  });
});
