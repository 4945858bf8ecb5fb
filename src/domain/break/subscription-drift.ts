/** The three streams; every vault needs all of them. */
const STREAMS = ['outgoing', 'blockchain', 'incoming'] as const;

/** One stream of a vault's subscription. */
export interface SubscribedStream {
  readonly stream: string;
  readonly webhookUrl: string;
}

/** How a vault's subscription differs from the wanted one. */
export type SubscriptionDrift =
  | { readonly kind: 'as_wanted' }
  | { readonly kind: 'none' }
  | { readonly kind: 'other_url' }
  | { readonly kind: 'missing_streams'; readonly streams: readonly string[] };

/**
 * Compares a vault's subscription with our webhook URL and all three streams (spec, "Subscription
 * (webhook) endpoints"). Streams that we do not need are ignored.
 */
export function subscriptionDrift(
  rows: readonly SubscribedStream[],
  webhookUrl: string,
): SubscriptionDrift {
  if (rows.length === 0) return { kind: 'none' };
  const needed = rows.filter((row) => STREAMS.some((stream) => stream === row.stream));
  if (needed.some((row) => row.webhookUrl !== webhookUrl)) return { kind: 'other_url' };
  const streams = STREAMS.filter((stream) => !needed.some((row) => row.stream === stream));
  return streams.length === 0 ? { kind: 'as_wanted' } : { kind: 'missing_streams', streams };
}

/** A drift in words. It never quotes the URL, which holds the path token. */
export function driftText(drift: SubscriptionDrift): string {
  switch (drift.kind) {
    case 'as_wanted':
      return 'all three streams come to us';
    case 'none':
      return 'there is no subscription';
    case 'other_url':
      return 'it delivers to another URL than custody.webhookUrl';
    case 'missing_streams':
      return `not subscribed: ${drift.streams.join(', ')}`;
    default:
      return drift satisfies never;
  }
}
