import { negated, plus, ZERO, type Amount } from '../../money/amount.ts';
import { custodySide } from './custody-figure.ts';
import { explainChain, explainCustody, Sums, view, type Explanation } from './explanation.ts';
import type { DifferenceContext, HashFacts } from '../hash-facts.ts';
import type { ReportDifference } from '../report.ts';
import type { AssetId, VaultId, HashKey } from '../../ids.ts';
import { vaultAssetKey, type VaultAsset } from '../../money/roll-forward.ts';

function vaultAssetsOf(facts: HashFacts): VaultAsset[] {
  const vaultAssets = new Map<string, VaultAsset>();
  for (const { vaultId, asset } of [...facts.lines, ...facts.custody]) {
    vaultAssets.set(vaultAssetKey({ vaultId, asset }), { vaultId, asset });
  }
  return [...vaultAssets.values()];
}

/** A vault and asset of a hash whose sides differ. */
interface Apart {
  readonly against: ReportDifference['against'];
  readonly vaultAsset: VaultAsset;
  /** The other side's amount, and ours. */
  readonly expected: Amount;
  readonly actual: Amount;
}

function shown(
  { network, blockchainHash }: HashKey,
  { against, vaultAsset, expected, actual }: Apart,
  { why, untold }: { why: Explanation; untold: boolean },
): ReportDifference {
  return {
    against,
    vaultId: vaultAsset.vaultId,
    network,
    blockchainHash,
    asset: vaultAsset.asset,
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
  const apart = vaultAssetsOf(facts).flatMap((vaultAsset): Apart[] => {
    const actual = books.at(vaultAsset);
    const sides: Apart[] = [];
    if (isCompared) {
      sides.push({ against: 'custody', vaultAsset, expected: custody.at(vaultAsset), actual });
    }
    if (isListed(vaultAsset)) {
      sides.push({ against: 'chain', vaultAsset, expected: chain.at(vaultAsset), actual });
    }
    return sides.filter(({ expected }) => expected !== actual);
  });
  // Most hashes return here.
  if (apart.length === 0) return [];
  const head = { books: view(facts.lines, 'books'), chain: view(facts.lines, 'chain') };
  return apart.map((one) => {
    const { against, vaultAsset, expected, actual } = one;
    const difference = plus(actual, negated(expected));
    const explain = against === 'custody' ? explainCustody : explainChain;
    const why = explain(vaultAsset, facts, { ...context, head, custody, difference });
    return shown(facts, one, { why, untold: against === 'chain' && !chain.has(vaultAsset) });
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
