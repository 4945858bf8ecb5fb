import type { Break } from '../../domain/break/break.ts';
import { saysNothingNew } from '../../domain/break/break.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { CustodyRecord } from '../../domain/fact/custody-record.ts';
import { handleDepthsRecord, depthBreakKey } from '../../domain/deposit/record/verification.ts';
import type { ExemptDifference } from '../../domain/break/exemption.ts';
import { isAssetOf } from '../../domain/policy/published-depth.ts';
import { NetworkKey, type AssetId } from '../../domain/ids.ts';
import type { PublishedNetworks } from './published-networks.ts';

/** Records of networks whose published depths open, update or resolve a break under the policy. */
export async function depthRecords(about: {
  networks: PublishedNetworks | undefined;
  policy: CreditingPolicy;
  openBreaks: ReadonlyMap<string, Break>;
  exempt: ReadonlyMap<string, ExemptDifference>;
  pinnedDecimals: ReadonlyMap<AssetId, number>;
  deadlineMs: number;
}): Promise<{ records: CustodyRecord[]; requests: number }> {
  const { policy, openBreaks, deadlineMs } = about;
  const asked = await about.networks?.read({ priority: 'inactive', deadlineMs });
  const assets = [...about.pinnedDecimals.keys()];
  const records = (asked?.networks ?? []).flatMap(({ key, confirmations }): CustodyRecord[] => {
    const network = NetworkKey(key);
    const inUse = assets.some((asset) => isAssetOf(asset, key));
    const record = { kind: 'depths', network, published: confirmations, inUse } as const;
    const open = openBreaks.get(depthBreakKey(network));
    const { found } = handleDepthsRecord(record, policy);
    const [drift] = found;
    const exempt = about.exempt.get(depthBreakKey(network))?.finding;
    const isExempt = drift !== undefined && exempt?.detail === drift.detail;
    const news =
      drift === undefined
        ? (open ?? exempt) !== undefined
        : !isExempt && !saysNothingNew(open, drift);
    return news ? [record] : [];
  });
  return { records, requests: asked?.requests ?? 0 };
}
