import { plus, ZERO, type Amount } from '../../money/amount.ts';
import { RECONCILER, type BreakType, type Finding } from '../../break/break.ts';
import type { DifferenceContext, HashFacts } from '../hash-facts.ts';
import type { CloseRecord, CountedEffect } from '../record.ts';
import type { ExplanationKind, ReportDifference } from '../report.ts';
import { coversFigure } from '../../break/exemption.ts';
import { vaultAssetKey, type VaultAsset, type PositionLine } from '../../money/roll-forward.ts';

/** Why a difference exists, for the report. */
export interface Explanation {
  readonly explanation: ExplanationKind;
  readonly breakId: string | null;
  readonly detail: string;
}

function explained(explanation: ExplanationKind, detail: string, breakId?: string): Explanation {
  return { explanation, breakId: breakId ?? null, detail };
}

/** Sums of lines by vault and asset. */
export class Sums {
  readonly #sums = new Map<string, Amount>();

  constructor(lines: readonly (VaultAsset & { readonly amount: Amount })[]) {
    for (const line of lines) {
      const key = vaultAssetKey(line);
      this.#sums.set(key, plus(this.#sums.get(key) ?? ZERO, line.amount));
    }
  }

  at(vaultAsset: VaultAsset): Amount {
    return this.#sums.get(vaultAssetKey(vaultAsset)) ?? ZERO;
  }

  has(vaultAsset: VaultAsset): boolean {
    return this.#sums.has(vaultAssetKey(vaultAsset));
  }
}

/** The sums of one view's lines. */
export function view(lines: readonly PositionLine[], name: PositionLine['view']): Sums {
  return new Sums(lines.filter((line) => line.view === name));
}

/** Whether a finding concerns a vault and asset of a hash. An omitted part matches any. */
function isAbout(
  { subject }: Pick<Finding, 'subject'>,
  vaultAsset: VaultAsset,
  facts: HashFacts,
): boolean {
  const { network, vaultId, asset } = subject;
  return (
    (network === null || network === facts.network) &&
    (vaultId === null || vaultId === vaultAsset.vaultId) &&
    (asset === null || asset === vaultAsset.asset)
  );
}

/**
 * Whether a break is about an own transaction that the custody API does not know. Its booking is
 * reversed, so it explains no difference. Anybody can forge such a webhook.
 */
function isDenied({ type, subject }: Pick<Finding, 'type' | 'subject'>): boolean {
  return type === 'unknown_to_custody' && subject.depositId === null;
}

/**
 * Break types that compare two sides. Others say nothing of a difference: a deposit that was stale
 * once, for example, or that waited for its owner.
 */
const COMPARED: ReadonlySet<BreakType> = new Set([
  'missing_notification',
  'unknown_to_custody',
  'amount_mismatch',
  'amount_changed',
  'status_mismatch',
  'conservation',
  'unexplained_movement',
]);

/** The open break about a vault and asset of a hash, or a break that a person resolved. */
function breakAbout(
  vaultAsset: VaultAsset,
  facts: HashFacts,
  context: DifferenceContext,
): Explanation | undefined {
  const about = context
    .breaksOf(facts)
    .filter(
      (one) => isAbout(one, vaultAsset, facts) && !(context.record.rules === 2 && isDenied(one)),
    );
  const open = about.find(({ state }) => state !== 'resolved');
  if (open !== undefined) return explained('break', `${open.type}: ${open.detail}`, open.breakId);
  const byPerson = about.find(
    ({ type, resolvedBy }) =>
      resolvedBy !== RECONCILER &&
      (context.record.resolvedAreCompared !== true || COMPARED.has(type)),
  );
  if (byPerson === undefined) return undefined;
  const detail = `${byPerson.type}, resolved by ${byPerson.resolvedBy ?? ''}: ${byPerson.resolution ?? ''}`;
  return explained('resolved_break', detail, byPerson.breakId);
}

/** Break types between books and chain view; the others involve the custody API. */
const WITH_CHAIN: ReadonlySet<BreakType> = new Set(['conservation', 'unexplained_movement']);

/**
 * The exemption that explains a difference. A rule with an amount covers no larger difference, even
 * if it exempted one at the last comparison.
 */
function exemptionAbout(
  vaultAsset: VaultAsset,
  facts: HashFacts,
  context: DifferenceContext & { against: ReportDifference['against']; difference: Amount },
): Explanation | undefined {
  const { record, against, difference } = context;
  if (record.exemptionsExplain !== true) return undefined;
  const exemption = context.exemptionsOf(facts).find(
    ({ finding, rule }) =>
      isAbout(finding, vaultAsset, facts) &&
      (against === 'custody' || WITH_CHAIN.has(finding.type)) &&
      // A rule must last until the end of the closed day.
      record.cutOffAt <= rule.until &&
      coversFigure(rule, difference),
  );
  if (exemption === undefined) return undefined;
  const { rule, owner, reason } = exemption.rule;
  const detail = `${exemption.finding.type}, exempt by the rule "${rule}" of ${owner}: ${reason}`;
  return explained('exempt', detail);
}

function isYoung(
  vaultAsset: VaultAsset,
  lines: readonly PositionLine[],
  record: CloseRecord,
): boolean {
  return lines.some(
    (line) =>
      line.vaultId === vaultAsset.vaultId &&
      line.asset === vaultAsset.asset &&
      line.seq <= record.throughSeq &&
      line.postedAt > record.cutOffAt - record.graceMs,
  );
}

/** The explanation when the hash has no chain view; rules 1 list no such difference. */
function withoutChainView(
  vaultAsset: VaultAsset,
  context: Pick<DifferenceContext, 'record'> & {
    head: { books: Sums; chain: Sums };
    custody: Sums;
  },
): Explanation | undefined {
  const { record, head, custody } = context;
  if (head.chain.has(vaultAsset)) return undefined;
  const said = 'the chain view was told nothing of it';
  if (record.custody.kind === 'not_read') {
    return explained('chain_not_told', `${said}, and custody was not compared`);
  }
  if (head.books.at(vaultAsset) !== custody.at(vaultAsset)) return undefined;
  return explained('chain_not_told', `${said}; the custody API agrees with the books`);
}

const YOUNG = 'booked so shortly before the cut-off that the other side may still follow';

/** Explains a difference between books and chain view. */
export function explainChain(
  vaultAsset: VaultAsset,
  facts: HashFacts,
  context: DifferenceContext & {
    head: { books: Sums; chain: Sums };
    custody: Sums;
    difference: Amount;
  },
): Explanation {
  const { head, record } = context;
  if (head.books.at(vaultAsset) === head.chain.at(vaultAsset)) {
    return explained('timing', 'the other side was told after the cut-off; both agree by now');
  }
  const about = breakAbout(vaultAsset, facts, context);
  if (about?.explanation === 'break') return about;
  const exempt = exemptionAbout(vaultAsset, facts, { ...context, against: 'chain' });
  if (exempt !== undefined) return exempt;
  if (isYoung(vaultAsset, facts.lines, record)) return explained('in_grace', YOUNG);
  return (
    about ??
    withoutChainView(vaultAsset, context) ??
    explained('unexplained', 'no break is open about it')
  );
}

/** The explanation by entries that the API's list omits: suspense and burned fees. */
function ownWord(
  vaultAsset: VaultAsset,
  lines: readonly PositionLine[],
  difference: Amount,
): Explanation | undefined {
  const of = (cause: PositionLine['cause']): Amount =>
    new Sums(lines.filter((line) => line.view === 'books' && line.cause === cause)).at(vaultAsset);
  if (of('suspense') === difference) {
    return explained('suspense', 'a person resolved its break, and the books follow the chain');
  }
  if (of('failed-fee') === difference) {
    return explained('burned_fee', 'the fee that a failed transaction burned on the chain');
  }
  return undefined;
}

/**
 * The explanation by movements at custody after the cut-off. The report subtracts them, so they
 * explain what is left only if the books hold them by now, or if custody has taken them back.
 */
function movedAfterCutOff(
  vaultAsset: VaultAsset,
  { after }: HashFacts,
  context: Pick<DifferenceContext, 'record'> & {
    head: { books: Sums };
    custody: Sums;
    changed: readonly CountedEffect[];
  },
): Explanation {
  const { record, head, custody, changed } = context;
  const isUndone = changed.some(
    ({ at, updatedAt, amounts }) => amounts.length === 0 && (at ?? updatedAt) >= record.cutOffAt,
  );
  const byNow = plus(custody.at(vaultAsset), new Sums(after).at(vaultAsset));
  if (record.timingAgrees !== true || isUndone || head.books.at(vaultAsset) === byNow) {
    return explained('timing', 'the custody API moved it after the cut-off');
  }
  return explained('in_grace', 'the custody API moved another amount after the cut-off');
}

/** Explains a difference between books and custody API. */
export function explainCustody(
  vaultAsset: VaultAsset,
  facts: HashFacts,
  context: DifferenceContext & { head: { books: Sums }; custody: Sums; difference: Amount },
): Explanation {
  const { record, head, custody, difference } = context;
  if (head.books.at(vaultAsset) === custody.at(vaultAsset)) {
    return explained('timing', 'booked after the cut-off; both agree by now');
  }
  const about = breakAbout(vaultAsset, facts, context);
  if (about?.explanation === 'break') return about;
  const cut = facts.lines.filter((line) => line.seq <= record.throughSeq);
  const own = ownWord(vaultAsset, cut, difference);
  if (own !== undefined) return own;
  const exempt = exemptionAbout(vaultAsset, facts, { ...context, against: 'custody' });
  if (exempt !== undefined) return exempt;
  if (context.reading.isPending(facts)) {
    return explained('custody_pending', 'the API has not published its balance changes yet');
  }
  const changed = context.reading.changed(facts, vaultAsset.vaultId);
  const moved = changed.map(({ at, updatedAt }) => at ?? updatedAt);
  if (moved.some((at) => at >= record.cutOffAt)) {
    return movedAfterCutOff(vaultAsset, facts, { ...context, changed });
  }
  if (moved.some((at) => at > record.cutOffAt - record.graceMs)) {
    return explained('in_grace', 'the custody API moved it shortly before the cut-off');
  }
  if (isYoung(vaultAsset, facts.lines, record)) return explained('in_grace', YOUNG);
  return about ?? explained('unexplained', 'no break is open about it');
}
