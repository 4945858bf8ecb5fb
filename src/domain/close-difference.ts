import { negated, plus, ZERO, type Amount } from './amount.ts';
import { custodySide } from './close/custody-figure.ts';
import { explainChain, explainCustody, Sums, view, type Explanation } from './close/explanation.ts';
import type { DifferenceContext, HashFacts } from './close/hash-facts.ts';
import type { ReportDifference } from './close-report.ts';
import type { AssetId, VaultId, HashKey } from './ids.ts';
import { placeKey, type Place } from './roll-forward.ts';

function placesOf(facts: HashFacts): Place[] {
  const places = new Map<string, Place>();
  for (const { vaultId, asset } of [...facts.lines, ...facts.custody]) {
    places.set(placeKey({ vaultId, asset }), { vaultId, asset });
  }
  return [...places.values()];
}

function shown(
  against: ReportDifference['against'],
  at: HashKey & Place,
  figures: { expected: Amount; actual: Amount; why: Explanation; untold?: boolean },
): ReportDifference {
  const { expected, actual, why, untold = false } = figures;
  return {
    against,
    vaultId: at.vaultId,
    network: at.network,
    blockchainHash: at.blockchainHash,
    asset: at.asset,
    expected: expected.toString(),
    actual: actual.toString(),
    difference: (actual - expected).toString(),
    explanation: why.explanation,
    breakId: why.breakId,
    detail: why.detail,
    ...(untold ? { untold } : {}),
  };
}

/**
 * Where one hash's books at the cut-off differ from the chain view then, and from what the custody
 * API's transactions count for, with what explains it. Rules 1 list nothing where the chain view was
 * told nothing of the hash: their reports sum those apart (`chainUntold`).
 */
export function differencesOf(facts: HashFacts, context: DifferenceContext): ReportDifference[] {
  const { record } = context;
  const isCompared = record.custody.kind === 'read';
  const cut = facts.lines.filter((line) => line.seq <= record.throughSeq);
  const books = view(cut, 'books');
  const chain = view(cut, 'chain');
  const custody = new Sums(custodySide(facts, record).atCutOff);
  const isListed = (place: Place): boolean => record.rules !== undefined || chain.has(place);
  const apart = placesOf(facts).filter((place) => {
    const actual = books.at(place);
    const isApart = isCompared && actual !== custody.at(place);
    return isApart || (isListed(place) && actual !== chain.at(place));
  });
  if (apart.length === 0) return [];
  const head = { books: view(facts.lines, 'books'), chain: view(facts.lines, 'chain') };
  return apart.flatMap((place) => {
    const { network, blockchainHash } = facts;
    const at = { network, blockchainHash, ...place };
    const actual = books.at(place);
    const found: ReportDifference[] = [];
    if (isCompared && actual !== custody.at(place)) {
      const difference = plus(actual, negated(custody.at(place)));
      const why = explainCustody(place, facts, { ...context, head, custody, difference });
      found.push(shown('custody', at, { expected: custody.at(place), actual, why }));
    }
    if (isListed(place) && actual !== chain.at(place)) {
      const difference = plus(actual, negated(chain.at(place)));
      const why = explainChain(place, facts, { ...context, head, custody, difference });
      const untold = !chain.has(place);
      found.push(shown('chain', at, { expected: chain.at(place), actual, why, untold }));
    }
    return found;
  });
}

/** Sum of differences per place. */
export function differenceSums(
  differences: readonly ReportDifference[],
  against: ReportDifference['against'],
): Map<string, Amount> {
  const sums = new Map<string, Amount>();
  for (const one of differences.filter((row) => row.against === against)) {
    const key = placeKey({ vaultId: one.vaultId as VaultId, asset: one.asset as AssetId });
    sums.set(key, plus(sums.get(key) ?? ZERO, BigInt(one.difference) as Amount));
  }
  return sums;
}
