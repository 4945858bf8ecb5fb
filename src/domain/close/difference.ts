import { negated, plus, ZERO, type Amount } from '../money/amount.ts';
import { custodySide } from './custody-figure.ts';
import { explainChain, explainCustody, Sums, view, type Explanation } from './explanation.ts';
import type { DifferenceContext, HashFacts } from './hash-facts.ts';
import type { ReportDifference } from './report.ts';
import type { AssetId, VaultId, HashKey } from '../ids.ts';
import { vaultAssetKey, type VaultAsset } from '../money/roll-forward.ts';

function vaultAssetsOf(facts: HashFacts): VaultAsset[] {
  const vaultAssets = new Map<string, VaultAsset>();
  for (const { vaultId, asset } of [...facts.lines, ...facts.custody]) {
    vaultAssets.set(vaultAssetKey({ vaultId, asset }), { vaultId, asset });
  }
  return [...vaultAssets.values()];
}

function shown(
  against: ReportDifference['against'],
  at: HashKey & VaultAsset,
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
 * Differences of one hash at the cut-off: books against chain view, and books against the custody
 * API, each with its explanation. Rules 1 list no difference where the hash has no chain view:
 * their reports sum those separately (`chainUntold`). Serves spec, "Conservation rules".
 */
export function differencesOf(facts: HashFacts, context: DifferenceContext): ReportDifference[] {
  const { record } = context;
  const isCompared = record.custody.kind === 'read';
  const cut = facts.lines.filter((line) => line.seq <= record.throughSeq);
  const books = view(cut, 'books');
  const chain = view(cut, 'chain');
  const custody = new Sums(custodySide(facts, record).atCutOff);
  const isListed = (vaultAsset: VaultAsset): boolean =>
    record.rules !== undefined || chain.has(vaultAsset);
  const apart = vaultAssetsOf(facts).filter((vaultAsset) => {
    const actual = books.at(vaultAsset);
    const isApart = isCompared && actual !== custody.at(vaultAsset);
    return isApart || (isListed(vaultAsset) && actual !== chain.at(vaultAsset));
  });
  if (apart.length === 0) return [];
  const head = { books: view(facts.lines, 'books'), chain: view(facts.lines, 'chain') };
  return apart.flatMap((vaultAsset) => {
    const { network, blockchainHash } = facts;
    const at = { network, blockchainHash, ...vaultAsset };
    const actual = books.at(vaultAsset);
    const found: ReportDifference[] = [];
    if (isCompared && actual !== custody.at(vaultAsset)) {
      const difference = plus(actual, negated(custody.at(vaultAsset)));
      const why = explainCustody(vaultAsset, facts, { ...context, head, custody, difference });
      found.push(shown('custody', at, { expected: custody.at(vaultAsset), actual, why }));
    }
    if (isListed(vaultAsset) && actual !== chain.at(vaultAsset)) {
      const difference = plus(actual, negated(chain.at(vaultAsset)));
      const why = explainChain(vaultAsset, facts, { ...context, head, custody, difference });
      const untold = !chain.has(vaultAsset);
      found.push(shown('chain', at, { expected: chain.at(vaultAsset), actual, why, untold }));
    }
    return found;
  });
}

/** Sums of differences by `vaultAssetKey`. */
export function differenceSums(
  differences: readonly ReportDifference[],
  against: ReportDifference['against'],
): Map<string, Amount> {
  const sums = new Map<string, Amount>();
  for (const one of differences.filter((row) => row.against === against)) {
    const key = vaultAssetKey({ vaultId: one.vaultId as VaultId, asset: one.asset as AssetId });
    sums.set(key, plus(sums.get(key) ?? ZERO, BigInt(one.difference) as Amount));
  }
  return sums;
}
