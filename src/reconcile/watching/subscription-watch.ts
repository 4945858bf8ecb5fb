import type { CustodyClient } from '../../custody/client.ts';
import type { Break } from '../../domain/break/break.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { CustodyRecord } from '../../domain/fact/custody-record.ts';
import type { ExemptDifference } from '../../domain/break/exemption.ts';
import { suppressedDepths } from '../../domain/policy/published-depth.ts';
import { VaultId, type AssetId } from '../../domain/ids.ts';
import { driftText, subscriptionDrift } from '../../domain/break/subscription-drift.ts';
import { depthRecords } from './depth-watch.ts';
import type { Tally } from '../comparing/tally.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { checkOpenBreaks, notFixed, type Look } from './open-break-checks.ts';
import type { VaultList } from './vault-list.ts';

/** Most vaults checked per run, with the budget that other steps leave. */
const VAULTS_PER_RUN = 2;

/** Requests per vault: the subscription, and its confirmation overrides. */
const REQUESTS_PER_LOOK = 2;

/** Shortest interval between two checks of one vault. */
const INTERVAL_MS = 3_600_000;

const NOTHING_LISTED = { vaults: [], requests: 0 };

interface SubscriptionContext {
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

/** A vault's subscription as last read, so that a policy change needs no request. */
interface Looked {
  /** Drift that does not depend on the policy. */
  readonly drift: readonly string[];
  /** Deepest delivered depth by network, where an override lowers it. */
  readonly overrides: Readonly<Record<string, number>>;
  /** The detail of the last record. */
  readonly recorded: string | null | undefined;
}

/**
 * Visits the vaults in rotation and compares each subscription with the wanted one: our URL, all
 * three streams, and no confirmation override below the policy's depth (spec, "Subscription
 * (webhook) endpoints"). Drift means that notifications are being lost. A policy change re-evaluates
 * all subscriptions read so far, and the published depths, without a request.
 */
export class SubscriptionWatch {
  readonly #webhookUrl: string;
  readonly #vaults: VaultList;
  readonly #lookedAt = new Map<string, number>();
  readonly #looked = new Map<string, Looked>();
  readonly #drifting = new LookupBackoff<string>((vaultId) => vaultId);

  constructor(options: { webhookUrl: string; vaults: VaultList }) {
    this.#webhookUrl = options.webhookUrl;
    this.#vaults = options.vaults;
  }

  /**
   * Checks the vaults with an open drift break, then the vaults that are due. A vault stays due
   * while the API cannot be asked. A vault that the API does not show counts as checked.
   */
  async run(context: SubscriptionContext): Promise<{ records: CustodyRecord[]; requests: number }> {
    let requests = 0;
    const look = async (vaultId: string): Promise<Look> => {
      const { looked, cost } = await this.#look(vaultId, context);
      requests += cost;
      if (looked === 'out of reach') return looked;
      this.#lookedAt.set(vaultId, context.now);
      if (typeof looked === 'string') return looked;
      this.#looked.set(vaultId, looked);
      return wrongWith(looked, context.policy).length === 0 ? 'fixed' : 'unsolved';
    };
    // Never wait for budget: an unchecked vault is due in the next run.
    const room = (): number => Math.floor(context.custody.room('inactive') / REQUESTS_PER_LOOK);
    const drifting = context.drifting.flatMap(({ subject }) => subject.vaultId ?? []);
    let isReachable = await checkOpenBreaks(drifting, {
      ...context,
      backoff: this.#drifting,
      room,
      look,
    });
    const listed = isReachable ? await this.#vaults.read(context) : NOTHING_LISTED;
    requests += listed.requests;
    const due = this.#due(listed.vaults, context.now).slice(0, VAULTS_PER_RUN);
    let looks = 0;
    for (const vaultId of due) {
      if (!isReachable || room() === 0) break;
      const found = await look(vaultId);
      looks += 1;
      isReachable = found === 'unsolved' || found === 'fixed';
    }
    context.tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', due.length - looks);
    const depths = await depthRecords(context);
    return {
      records: [...this.#changedDrifts(context.policy), ...depths.records],
      requests: requests + depths.requests,
    };
  }

  #due(vaults: readonly string[], now: number): string[] {
    return vaults
      .filter((vaultId) => Math.abs(now - this.#last(vaultId)) >= INTERVAL_MS)
      .sort((left, right) => this.#last(left) - this.#last(right) || 0);
  }

  /** Records of vaults checked in this run, or whose drift changed with the policy. */
  #changedDrifts(policy: CreditingPolicy): CustodyRecord[] {
    const records: CustodyRecord[] = [];
    for (const [vaultId, looked] of this.#looked) {
      const wrong = wrongWith(looked, policy);
      const detail = wrong.length === 0 ? null : wrong.join('; ');
      if (detail === looked.recorded) continue;
      this.#looked.set(vaultId, { ...looked, recorded: detail });
      records.push({ kind: 'subscription', vaultId: VaultId(vaultId), drift: detail });
    }
    return records;
  }

  #last(vaultId: string): number {
    return this.#lookedAt.get(vaultId) ?? Number.NEGATIVE_INFINITY;
  }

  async #look(
    vaultId: string,
    { custody, deadlineMs }: SubscriptionContext,
  ): Promise<{ looked: Looked | Exclude<Look, 'fixed'>; cost: number }> {
    const options = { priority: 'inactive', deadlineMs } as const;
    const rows = await custody.subscriptions.of(vaultId, options);
    if (rows.kind !== 'ok') return { looked: notFixed(rows), cost: 1 };
    const found = subscriptionDrift(rows.value, this.#webhookUrl);
    const drift = found.kind === 'as_wanted' ? [] : [driftText(found)];
    const known = this.#looked.get(vaultId);
    // The vault is checked again soon, completely once this drift is fixed.
    if (drift.length > 0 && known !== undefined) {
      return { looked: { ...known, drift, recorded: undefined }, cost: 1 };
    }
    const answer = await custody.subscriptions.overrides(vaultId, options);
    if (answer.kind !== 'ok') return { looked: notFixed(answer), cost: 2 };
    const overrides = answer.value.confirmations;
    return { looked: { drift, overrides, recorded: undefined }, cost: 2 };
  }
}

/** The drift of a subscription under a policy, in words; empty when there is none. */
function wrongWith({ drift, overrides }: Looked, policy: CreditingPolicy): string[] {
  return [...drift, ...suppressedDepths(policy, overrides)];
}
