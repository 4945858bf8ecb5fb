import { html } from 'hono/html';
import { momentText, shortened, spanText } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';

/** Credit latency of the last hour, and the deposit that waits longest now. */
export interface CreditLatencyNow {
  readonly credits: number;
  /** Milliseconds from depth reached to the feed; null without a credit. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly oldest: {
    readonly depositId: string;
    /** When only the custody API's record was missing, Unix milliseconds. */
    readonly sinceMs: number;
    readonly reason: string;
  } | null;
}

/** Why a deep enough deposit has no credit yet. */
const REASONS: Readonly<Record<string, string>> = {
  asking: 'the custody API is asked within seconds',
  reading_failed: 'the last request to the custody API failed; the next one follows',
  not_shown: 'the custody API does not show the required depth yet',
  no_history: 'the first reconciliation has not finished reading the transactions list',
};

function secondsText(ms: number | null): string {
  return ms === null ? '–' : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}

/** Credit latency of the last hour, and the oldest waiting deposit with its reason. */
export function creditLatencyCard(now: CreditLatencyNow, at: number): Markup {
  const { credits, p50Ms, p99Ms, oldest } = now;
  const figures =
    credits === 0
      ? html`<p class="empty">No credit in the last hour, or since the daemon started.</p>`
      : html`<p>
          Median <b>${secondsText(p50Ms)}</b>, 99th percentile <b>${secondsText(p99Ms)}</b> over
          ${credits} credits.
        </p>`;
  const waiting =
    oldest === null
      ? html`<p class="muted">No deposit waits for the custody API.</p>`
      : html`<p title="${momentText(oldest.sinceMs)}">
          Deposit <span class="id" title="${oldest.depositId}">${shortened(oldest.depositId)}</span>
          has waited for ${spanText(at - oldest.sinceMs)}:
          ${REASONS[oldest.reason] ?? oldest.reason}.
        </p>`;
  return html`${figures}${waiting}`;
}
