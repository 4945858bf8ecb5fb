import type { CustodyClient } from '../custody/client.ts';
import type { Outcome } from '../custody/outcome.ts';
import type { Break } from '../domain/break.ts';
import type { CreditingPolicy } from '../domain/crediting.ts';
import type { CustodyRecord } from '../domain/custody.ts';
import type { ExemptDifference } from '../domain/exemption.ts';
import { suppressedDepths } from '../domain/depth.ts';
import { VaultId, type AssetId } from '../domain/ids.ts';
import { driftText, subscriptionDrift } from '../domain/subscription.ts';
import { depthRecords } from './depth-watch.ts';
import { isOutOfReach } from './out-of-reach.ts';
import type { PublishedNetworks } from './published-networks.ts';
import type { VaultList } from './vault-list.ts';

/** Vaults looked at per run: each costs two requests of the budget that others leave over. */
const VAULTS_PER_RUN = 2;

/** A vault's subscription is looked at this often at most. */
const INTERVAL_MS = 3_600_000;

interface Visit {
  readonly custody: CustodyClient;
  readonly networks: PublishedNetworks | undefined;
  readonly policy: CreditingPolicy;
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly now: number;
  readonly deadlineMs: number;
}

/** A vault's subscription as it was looked at, for the policies to come. */
interface Looked {
  /** What is wrong with it whatever the policy. */
  readonly drift: readonly string[];
  /** Deepest delivered depth by network, where it is not the deepest published one. */
  readonly overrides: Readonly<Record<string, number>>;
  /** What the last record said of it. */
  readonly told: string | null | undefined;
}

/**
 * Goes round the vaults and compares each subscription with what we want: our URL, all three
 * streams, and no confirmation override below the policy's depth. Drift means notifications are
 * being lost right now, and nothing else would say so. A change of the policy judges what was seen
 * anew at once, and so are the depths that the networks publish.
 */
export class SubscriptionWatch {
  readonly #webhookUrl: string;
  readonly #vaults: VaultList;
  readonly #lookedAt = new Map<string, number>();
  readonly #looked = new Map<string, Looked>();

  constructor(options: { webhookUrl: string; vaults: VaultList }) {
    this.#webhookUrl = options.webhookUrl;
    this.#vaults = options.vaults;
  }

  /**
   * Records of the vaults whose turn it is. While the API cannot be asked it stays theirs; one that it
   * does not show has had its turn, and keeps no other from it.
   */
  async run(visit: Visit): Promise<{ records: CustodyRecord[]; requests: number }> {
    const listed = await this.#vaults.read(visit);
    let { requests } = listed;
    const due = listed.vaults
      .filter((vaultId) => visit.now - this.#last(vaultId) >= INTERVAL_MS)
      .sort((left, right) => this.#last(left) - this.#last(right));
    for (const vaultId of due.slice(0, VAULTS_PER_RUN)) {
      const { looked, cost } = await this.#look(vaultId, visit);
      requests += cost;
      if (looked === 'out of reach') break;
      this.#lookedAt.set(vaultId, visit.now);
      if (looked !== 'not shown') this.#looked.set(vaultId, looked);
    }
    const depths = await depthRecords(visit);
    return {
      records: [...this.#judged(visit.policy), ...depths.records],
      requests: requests + depths.requests,
    };
  }

  /** Records of what was looked at just now, or says something else by the policy of now. */
  #judged(policy: CreditingPolicy): CustodyRecord[] {
    const records: CustodyRecord[] = [];
    for (const [vaultId, looked] of this.#looked) {
      const wrong = [...looked.drift, ...suppressedDepths(policy, looked.overrides)];
      const told = wrong.length === 0 ? null : wrong.join('; ');
      if (told === looked.told) continue;
      this.#looked.set(vaultId, { ...looked, told });
      records.push({ kind: 'subscription', vaultId: VaultId(vaultId), drift: told });
    }
    return records;
  }

  #last(vaultId: string): number {
    return this.#lookedAt.get(vaultId) ?? Number.NEGATIVE_INFINITY;
  }

  async #look(
    vaultId: string,
    { custody, deadlineMs }: Visit,
  ): Promise<{ looked: Looked | 'not shown' | 'out of reach'; cost: number }> {
    const options = { priority: 'inactive', deadlineMs } as const;
    const rows = await custody.subscriptions.of(vaultId, options);
    if (rows.kind !== 'ok') return { looked: unseen(rows.kind), cost: 1 };
    const answer = await custody.subscriptions.overrides(vaultId, options);
    if (answer.kind !== 'ok') return { looked: unseen(answer.kind), cost: 2 };
    const found = subscriptionDrift(rows.value, this.#webhookUrl);
    const drift = found.kind === 'as_wanted' ? [] : [driftText(found)];
    const overrides = answer.value.confirmations;
    return { looked: { drift, overrides, told: undefined }, cost: 2 };
  }
}

function unseen(kind: Outcome<unknown>['kind']): 'not shown' | 'out of reach' {
  return isOutOfReach(kind) ? 'out of reach' : 'not shown';
}
