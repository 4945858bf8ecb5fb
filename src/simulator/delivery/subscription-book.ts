import type { Stream } from '../../wire/event-names.ts';
import type { Subscription } from '../../wire/subscription.ts';
import type { Table } from '../state/table.ts';

/** The subscriptions of one vault: one URL for all its streams. */
export interface VaultSubscription {
  readonly vaultId: string;
  readonly webhookUrl: string;
  readonly streams: readonly Stream[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/**
 * The deepest delivered confirmation depth by network key (the specification, section "Subscription
 * (webhook) endpoints", behaviour 2).
 */
export interface ConfirmationOverride {
  readonly vaultId: string;
  readonly confirmations: Readonly<Record<string, number>>;
}

/** The subscriptions and confirmation overrides of every vault. */
export class SubscriptionBook {
  readonly #subscriptions: Table<VaultSubscription>;
  readonly #overrides: Table<ConfirmationOverride>;

  constructor(subscriptions: Table<VaultSubscription>, overrides: Table<ConfirmationOverride>) {
    this.#subscriptions = subscriptions;
    this.#overrides = overrides;
  }

  /** Replaces all subscriptions of the vault. */
  replace(subscription: VaultSubscription): void {
    const streams = [...new Set(subscription.streams)];
    this.#subscriptions.put(subscription.vaultId, { ...subscription, streams });
  }

  remove(vaultId: string): void {
    this.#subscriptions.delete(vaultId);
  }

  /** One row per stream, in the shape of the API. */
  rows(vaultId: string): Subscription[] {
    const subscription = this.#subscriptions.get(vaultId);
    if (subscription === undefined) return [];
    const { webhookUrl, createdAt } = subscription;
    return subscription.streams.map((stream) => ({ vaultId, stream, webhookUrl, createdAt }));
  }

  urlFor(vaultId: string, stream: Stream): string | undefined {
    const subscription = this.#subscriptions.get(vaultId);
    return subscription?.streams.includes(stream) === true ? subscription.webhookUrl : undefined;
  }

  /** Replaces the overrides of all networks. */
  setOverride(vaultId: string, confirmations: Readonly<Record<string, number>>): void {
    this.#overrides.put(vaultId, { vaultId, confirmations });
  }

  override(vaultId: string): Readonly<Record<string, number>> {
    return this.#overrides.get(vaultId)?.confirmations ?? {};
  }

  suppresses(vaultId: string, network: string | undefined, depth: number | undefined): boolean {
    if (network === undefined || depth === undefined) return false;
    const deepest = this.#overrides.get(vaultId)?.confirmations[network];
    return deepest !== undefined && depth > deepest;
  }
}
