import type { Break } from '../../domain/break.ts';
import { saysNothingNew } from '../../domain/break.ts';
import type { CreditingPolicy } from '../../domain/crediting.ts';
import type { CustodyRecord } from '../../domain/custody.ts';
import { decideDepthsRecord, depthBreakKey } from '../../domain/decide-custody.ts';
import type { ExemptDifference } from '../../domain/exemption.ts';
import { isAssetOf } from '../../domain/depth.ts';
import { NetworkKey, type AssetId } from '../../domain/ids.ts';
import type { PublishedNetworks } from './published-networks.ts';

/** The networks whose published depths open, restate or end a break by the policy of now. */
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
    const { found } = decideDepthsRecord(record, policy);
    const [drift] = found;
    const exempt = about.exempt.get(depthBreakKey(network))?.finding;
    const told = drift !== undefined && exempt?.detail === drift.detail;
    const news =
      drift === undefined ? (open ?? exempt) !== undefined : !told && !saysNothingNew(open, drift);
    return news ? [record] : [];
  });
  return { records, requests: asked?.requests ?? 0 };
}
