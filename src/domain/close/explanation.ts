import { plus, ZERO, type Amount } from '../amount.ts';
import { RECONCILER, type BreakType, type Finding } from '../break.ts';
import type { DifferenceContext, HashFacts } from './hash-facts.ts';
import type { CloseRecord, CountedEffect } from '../close-record.ts';
import type { ExplanationKind, ReportDifference } from '../close-report.ts';
import { coversFigure } from '../exemption.ts';
import type { HashKey } from '../ids.ts';
import { placeKey, type Place, type PositionLine } from '../roll-forward.ts';

export interface Explanation {
  readonly explanation: ExplanationKind;
  readonly breakId: string | null;
  readonly detail: string;
}

function explained(explanation: ExplanationKind, detail: string, breakId?: string): Explanation {
  return { explanation, breakId: breakId ?? null, detail };
}

/** Sums of some lines by place. */
export class Sums {
  readonly #sums = new Map<string, Amount>();

  constructor(lines: readonly (Place & { readonly amount: Amount })[]) {
    for (const line of lines) {
      const key = placeKey(line);
      this.#sums.set(key, plus(this.#sums.get(key) ?? ZERO, line.amount));
    }
  }

  at(place: Place): Amount {
    return this.#sums.get(placeKey(place)) ?? ZERO;
  }

  has(place: Place): boolean {
    return this.#sums.has(placeKey(place));
  }
}

/** Sums of one view's lines. */
export function view(lines: readonly PositionLine[], name: PositionLine['view']): Sums {
  return new Sums(lines.filter((line) => line.view === name));
}

/** What is about no network, vault or asset is about every one of the hash. */
function isAbout({ subject }: Pick<Finding, 'subject'>, place: Place, facts: HashFacts): boolean {
  const { network, vaultId, asset } = subject;
  return (
    (network === null || network === facts.network) &&
    (vaultId === null || vaultId === place.vaultId) &&
    (asset === null || asset === place.asset)
  );
}

/**
 * Whether a break tells of an own transaction that the custody API does not know: what was booked
 * for it is taken back, so it explains no difference. Anybody can forge such a webhook.
 */
function isDenied({ type, subject }: Pick<Finding, 'type' | 'subject'>): boolean {
  return type === 'unknown_to_custody' && subject.depositId === null;
}

/** The open break about a place of a hash, or one that a person resolved. */
function breakAbout(
  place: Place,
  facts: HashFacts,
  context: DifferenceContext,
): Explanation | undefined {
  const about = context
    .breaksOf(facts)
    .filter((one) => isAbout(one, place, facts) && !(context.record.rules === 2 && isDenied(one)));
  const open = about.find(({ state }) => state !== 'resolved');
  if (open !== undefined) return explained('break', `${open.type}: ${open.detail}`, open.breakId);
  const settled = about.find(({ resolvedBy }) => resolvedBy !== RECONCILER);
  if (settled === undefined) return undefined;
  const detail = `${settled.type}, resolved by ${settled.resolvedBy ?? ''}: ${settled.resolution ?? ''}`;
  return explained('resolved_break', detail, settled.breakId);
}

/** Differences between books and chain view. The others are with custody. */
const WITH_CHAIN: ReadonlySet<BreakType> = new Set(['conservation', 'unexplained_movement']);

/**
 * The exemption of a difference at a place of a hash. A rule with an amount is about no larger
 * difference than it was made for, whatever was exempt when it was last compared.
 */
function exemptionAbout(
  place: Place,
  facts: HashFacts,
  context: DifferenceContext & { against: ReportDifference['against']; difference: Amount },
): Explanation | undefined {
  const { record, against, difference } = context;
  if (record.exemptionsExplain !== true) return undefined;
  const standing = context.exemptionsOf(facts).find(
    ({ finding, rule }) =>
      isAbout(finding, place, facts) &&
      (against === 'custody' || WITH_CHAIN.has(finding.type)) &&
      // Until the end of the day that is closed is long enough.
      record.cutOffAt <= rule.until &&
      coversFigure(rule, difference),
  );
  if (standing === undefined) return undefined;
  const { rule, owner, reason } = standing.rule;
  const detail = `${standing.finding.type}, exempt by the rule "${rule}" of ${owner}: ${reason}`;
  return explained('exempt', detail);
}

function isYoung(place: Place, lines: readonly PositionLine[], record: CloseRecord): boolean {
  return lines.some(
    (line) =>
      line.vaultId === place.vaultId &&
      line.asset === place.asset &&
      line.seq <= record.throughSeq &&
      line.postedAt > record.cutOffAt - record.graceMs,
  );
}

/** Of a difference with a chain view that was told nothing of the hash; rules 1 list none. */
function untold(
  place: Place,
  context: Pick<DifferenceContext, 'record'> & {
    head: { books: Sums; chain: Sums };
    custody: Sums;
  },
): Explanation | undefined {
  const { record, head, custody } = context;
  if (head.chain.has(place)) return undefined;
  const said = 'the chain view was told nothing of it';
  if (record.custody.kind === 'not_read') {
    return explained('chain_not_told', `${said}, and custody was not compared`);
  }
  if (head.books.at(place) !== custody.at(place)) return undefined;
  return explained('chain_not_told', `${said}; the custody API agrees with the books`);
}

const YOUNG = 'booked so shortly before the cut-off that the other side may still follow';

export function explainChain(
  place: Place,
  facts: HashFacts,
  context: DifferenceContext & {
    head: { books: Sums; chain: Sums };
    custody: Sums;
    difference: Amount;
  },
): Explanation {
  const { head, record } = context;
  if (head.books.at(place) === head.chain.at(place)) {
    return explained('timing', 'the other side was told after the cut-off; both agree by now');
  }
  const about = breakAbout(place, facts, context);
  if (about?.explanation === 'break') return about;
  const exempt = exemptionAbout(place, facts, { ...context, against: 'chain' });
  if (exempt !== undefined) return exempt;
  if (isYoung(place, facts.lines, record)) return explained('in_grace', YOUNG);
  return about ?? untold(place, context) ?? explained('unexplained', 'no break is open about it');
}

/** What of a difference with custody rests on entries that the API's list tells nothing of. */
function ownWord(
  place: Place,
  lines: readonly PositionLine[],
  difference: Amount,
): Explanation | undefined {
  const of = (cause: PositionLine['cause']): Amount =>
    new Sums(lines.filter((line) => line.view === 'books' && line.cause === cause)).at(place);
  if (of('suspense') === difference) {
    return explained('suspense', 'a person resolved its break, and the books follow the chain');
  }
  if (of('failed-fee') === difference) {
    return explained('burned_fee', 'the fee that a failed transaction burned on the chain');
  }
  return undefined;
}

/** Transactions of a hash whose effect the API changed since the last reading. */
function movedNow(
  place: Place,
  hash: HashKey,
  counted: readonly CountedEffect[],
): readonly CountedEffect[] {
  return counted.filter(
    (one) =>
      one.blockchainHash === hash.blockchainHash &&
      one.network === hash.network &&
      one.vaultId === place.vaultId,
  );
}

export function explainCustody(
  place: Place,
  facts: HashFacts,
  context: DifferenceContext & { head: { books: Sums }; custody: Sums; difference: Amount },
): Explanation {
  const { record, head, custody, difference } = context;
  if (head.books.at(place) === custody.at(place)) {
    return explained('timing', 'booked after the cut-off; both agree by now');
  }
  const about = breakAbout(place, facts, context);
  if (about?.explanation === 'break') return about;
  const cut = facts.lines.filter((line) => line.seq <= record.throughSeq);
  const own = ownWord(place, cut, difference);
  if (own !== undefined) return own;
  const exempt = exemptionAbout(place, facts, { ...context, against: 'custody' });
  if (exempt !== undefined) return exempt;
  if (record.custody.kind === 'read') {
    const { pending, counted } = record.custody;
    if (pending.includes(facts.blockchainHash)) {
      return explained('custody_pending', 'the API has not published its balance changes yet');
    }
    const moved = movedNow(place, facts, counted).map(({ at, updatedAt }) => at ?? updatedAt);
    if (moved.some((at) => at >= record.cutOffAt)) {
      return explained('timing', 'the custody API moved it after the cut-off');
    }
    if (moved.some((at) => at > record.cutOffAt - record.graceMs)) {
      return explained('in_grace', 'the custody API moved it shortly before the cut-off');
    }
  }
  if (isYoung(place, facts.lines, record)) return explained('in_grace', YOUNG);
  return about ?? explained('unexplained', 'no break is open about it');
}
