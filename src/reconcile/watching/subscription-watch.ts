import type { CustodyClient } from '../../custody/client.ts';
import type { Outcome } from '../../custody/outcome.ts';
import type { Break } from '../../domain/break.ts';
import type { CreditingPolicy } from '../../domain/crediting.ts';
import type { CustodyRecord } from '../../domain/custody.ts';
import type { ExemptDifference } from '../../domain/exemption.ts';
import { suppressedDepths } from '../../domain/depth.ts';
import { VaultId, type AssetId } from '../../domain/ids.ts';
import { driftText, subscriptionDrift } from '../../domain/subscription.ts';
import { depthRecords } from './depth-watch.ts';
import { hasFailed, isOutOfReach } from '../out-of-reach.ts';
import type { Tally } from '../tally.ts';
import { Turns } from '../turns.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { lookAtTroubled, type Look } from './troubled.ts';
import type { VaultList } from './vault-list.ts';

/** Vaults looked at per run, with what the others leave over of the budget. */
const VAULTS_PER_RUN = 2;

/** The subscription, and its confirmation overrides. */
const REQUESTS_PER_LOOK = 2;

/** A vault's subscription is looked at this often at most. */
const INTERVAL_MS = 3_600_000;

const NOTHING_LISTED = { vaults: [], requests: 0 };

interface Visit {
  readonly custody: CustodyClient;
  readonly networks: PublishedNetworks | undefined;
  readonly policy: CreditingPolicy;
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  /** Open `subscription_drift` breaks. */
  readonly drifting: readonly Break[];
  readonly now: number;
  readonly deadlineMs: number;
  readonly tally: Tally;
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
  readonly #drifting = new Turns<string>((vaultId) => vaultId);

  constructor(options: { webhookUrl: string; vaults: VaultList }) {
    this.#webhookUrl = options.webhookUrl;
    this.#vaults = options.vaults;
  }

  /**
   * Records of the vaults whose drift is open, and of those whose turn it is. While the API cannot be
   * asked it stays theirs; one that it does not show has had its turn, and keeps no other from it.
   */
  async run(visit: Visit): Promise<{ records: CustodyRecord[]; requests: number }> {
    let requests = 0;
    const look = async (vaultId: string): Promise<Look> => {
      const { looked, cost } = await this.#look(vaultId, visit);
      requests += cost;
      if (looked === 'out of reach') return looked;
      this.#lookedAt.set(vaultId, visit.now);
      if (looked === 'failed') return looked;
      if (looked === 'not shown') return 'in trouble';
      this.#looked.set(vaultId, looked);
      return wrongWith(looked, visit.policy).length === 0 ? 'mended' : 'in trouble';
    };
    // Nobody waits for room: what is not looked at now is due in the next run.
    const room = (): number => Math.floor(visit.custody.room('inactive') / REQUESTS_PER_LOOK);
    const drifting = visit.drifting.flatMap(({ subject }) => subject.vaultId ?? []);
    let isReachable = await lookAtTroubled(drifting, {
      ...visit,
      turns: this.#drifting,
      room,
      look,
    });
    const listed = isReachable ? await this.#vaults.read(visit) : NOTHING_LISTED;
    requests += listed.requests;
    const due = this.#due(listed.vaults, visit.now).slice(0, VAULTS_PER_RUN);
    let looks = 0;
    for (const vaultId of due) {
      if (!isReachable || room() === 0) break;
      const found = await look(vaultId);
      looks += 1;
      isReachable = found === 'in trouble' || found === 'mended';
    }
    visit.tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', due.length - looks);
    const depths = await depthRecords(visit);
    return {
      records: [...this.#judged(visit.policy), ...depths.records],
      requests: requests + depths.requests,
    };
  }

  #due(vaults: readonly string[], now: number): string[] {
    return vaults
      .filter((vaultId) => Math.abs(now - this.#last(vaultId)) >= INTERVAL_MS)
      .sort((left, right) => this.#last(left) - this.#last(right) || 0);
  }

  /** Records of what was looked at just now, or says something else by the policy of now. */
  #judged(policy: CreditingPolicy): CustodyRecord[] {
    const records: CustodyRecord[] = [];
    for (const [vaultId, looked] of this.#looked) {
      const wrong = wrongWith(looked, policy);
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
  ): Promise<{ looked: Looked | Unseen; cost: number }> {
    const options = { priority: 'inactive', deadlineMs } as const;
    const rows = await custody.subscriptions.of(vaultId, options);
    if (rows.kind !== 'ok') return { looked: unseen(rows), cost: 1 };
    const found = subscriptionDrift(rows.value, this.#webhookUrl);
    const drift = found.kind === 'as_wanted' ? [] : [driftText(found)];
    const known = this.#looked.get(vaultId);
    // It is looked at again soon, and for the rest when this is mended.
    if (drift.length > 0 && known !== undefined) {
      return { looked: { ...known, drift, told: undefined }, cost: 1 };
    }
    const answer = await custody.subscriptions.overrides(vaultId, options);
    if (answer.kind !== 'ok') return { looked: unseen(answer), cost: 2 };
    const overrides = answer.value.confirmations;
    return { looked: { drift, overrides, told: undefined }, cost: 2 };
  }
}

/** What is wrong with a subscription by a policy, in words; empty when nothing is. */
function wrongWith({ drift, overrides }: Looked, policy: CreditingPolicy): string[] {
  return [...drift, ...suppressedDepths(policy, overrides)];
}

type Unseen = 'not shown' | 'failed' | 'out of reach';

function unseen(outcome: Outcome<unknown>): Unseen {
  if (hasFailed(outcome)) return 'failed';
  return isOutOfReach(outcome.kind) ? 'out of reach' : 'not shown';
}
