import type { CustodyClient } from '../custody/client.ts';
import { ruleDepth, type CreditingPolicy } from '../domain/crediting.ts';
import type { CustodyRecord } from '../domain/custody.ts';
import { NetworkKey, VaultId } from '../domain/ids.ts';
import { driftText, subscriptionDrift } from '../domain/subscription.ts';
import type { VaultList } from './vault-list.ts';

/** Vaults looked at per run: each costs two requests of the budget that others leave over. */
const VAULTS_PER_RUN = 2;

/** A vault's subscription is looked at this often at most. */
const INTERVAL_MS = 3_600_000;

interface Visit {
  readonly custody: CustodyClient;
  readonly policy: CreditingPolicy;
  readonly now: number;
  readonly deadlineMs: number;
}

/**
 * Goes round the vaults and compares each subscription with what we want: our URL, all three
 * streams, and no confirmation override below the policy's depth. Drift means notifications are
 * being lost right now, and nothing else would say so.
 */
export class SubscriptionWatch {
  readonly #webhookUrl: string;
  readonly #vaults: VaultList;
  readonly #lookedAt = new Map<string, number>();

  constructor(options: { webhookUrl: string; vaults: VaultList }) {
    this.#webhookUrl = options.webhookUrl;
    this.#vaults = options.vaults;
  }

  /** Records of the vaults whose turn it is; what cannot be asked now has its turn again later. */
  async run(visit: Visit): Promise<{ records: CustodyRecord[]; requests: number }> {
    const listed = await this.#vaults.read(visit);
    let { requests } = listed;
    const records: CustodyRecord[] = [];
    const due = listed.vaults
      .filter((vaultId) => visit.now - this.#last(vaultId) >= INTERVAL_MS)
      .sort((left, right) => this.#last(left) - this.#last(right));
    for (const vaultId of due.slice(0, VAULTS_PER_RUN)) {
      const looked = await this.#look(vaultId, visit);
      requests += looked.requests;
      if (looked.record === null) break;
      this.#lookedAt.set(vaultId, visit.now);
      records.push(looked.record);
    }
    return { records, requests };
  }

  #last(vaultId: string): number {
    return this.#lookedAt.get(vaultId) ?? Number.NEGATIVE_INFINITY;
  }

  async #look(
    vaultId: string,
    { custody, policy, deadlineMs }: Visit,
  ): Promise<{ record: CustodyRecord | null; requests: number }> {
    const options = { priority: 'inactive', deadlineMs } as const;
    const rows = await custody.subscriptions.of(vaultId, options);
    if (rows.kind !== 'ok') return { record: null, requests: 1 };
    const overrides = await custody.subscriptions.overrides(vaultId, options);
    if (overrides.kind !== 'ok') return { record: null, requests: 2 };
    const drift = subscriptionDrift(rows.value, this.#webhookUrl);
    const shallow = Object.entries(overrides.value.confirmations)
      .filter(([network, depth]) => depth < ruleDepth(policy, NetworkKey(network)))
      .map(([network, depth]) => `${network} is delivered only to depth ${depth}`);
    const wrong = [...(drift.kind === 'as_wanted' ? [] : [driftText(drift)]), ...shallow];
    return {
      record: {
        kind: 'subscription',
        vaultId: VaultId(vaultId),
        drift: wrong.length === 0 ? null : wrong.join('; '),
      },
      requests: 2,
    };
  }
}
