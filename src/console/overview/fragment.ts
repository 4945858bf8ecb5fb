import { html } from 'hono/html';
import type { Amount } from '../../domain/money/amount.ts';
import { BODY_BREAKS, differenceOf, type BreakType } from '../../domain/break/break.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { ShownBreak } from '../../store/answers.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import { closeTable } from './close-table.ts';
import { creditLatencyCard, type CreditLatencyNow } from './credit-latency-card.ts';
import { decimalText, grouped, momentText, shortened, spanText } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';
import type { Snapshot } from './snapshot.ts';
import { stateBar, stateName } from './state-bar.ts';

type Decimals = Snapshot['decimals'];

/** An amount in smallest units and, with known decimals, in the asset's unit. */
function amountCell(amount: Amount, asset: string, decimals: Decimals): Markup {
  const fractionDigits = decimals.get(asset);
  const exact = html`<span class="units">${amount.toString()}</span>`;
  if (fractionDigits === undefined) return html`<span class="figure">${amount.toString()}</span>`;
  return html`<span class="figure">${decimalText(amount, fractionDigits)}</span>${exact}`;
}

function tile(label: string, count: number, tone = ''): Markup {
  const loud = count > 0 ? tone : '';
  return html`<div class="tile ${loud}">
    <dt>${label}</dt>
    <dd>${grouped(String(count))}</dd>
  </div>`;
}

function tiles({ counts }: Snapshot): Markup {
  const { notifications, credits, breaks } = counts;
  const critical = breaks.byType.some(({ severity, open }) => severity === 'critical' && open > 0);
  return html`<dl class="tiles">
    ${tile('Accepted', notifications.accepted)} ${tile('Duplicates', notifications.duplicates)}
    ${tile('Quarantined', notifications.quarantined, 'warn')} ${tile('Credits', credits.credits)}
    ${tile('Reversals', credits.reversals, 'alarm')}
    ${tile('Open breaks', breaks.open, critical ? 'alarm' : 'warn')}
  </dl>`;
}

const DEPTH_WIDTH = 40;

/** A deposit's depth and the required depth. */
function depthCell(deposit: Deposit): Markup {
  const depth = Math.max(deposit.confirmations, deposit.custodyConfirmations);
  const required = deposit.requiredConfirmations;
  const share = required === 0 ? 1 : Math.min(1, depth / required);
  return html`<span class="depth">${depth}<i>/</i>${required}</span>
    <svg class="gauge" viewBox="0 0 ${DEPTH_WIDTH} 3" aria-hidden="true">
      <rect class="groove" width="${DEPTH_WIDTH}" height="3" rx="1.5"></rect>
      <rect
        class="tone ${deposit.state}"
        width="${Math.round(DEPTH_WIDTH * share)}"
        height="3"
        rx="1.5"
      ></rect>
    </svg>`;
}

/** The deposit's position; `say` formats an identifier. */
function positionText({ vaultId, addressId, memo }: Deposit, say: (id: string) => string): string {
  const ids = [vaultId, addressId].filter((id) => id !== null).map(say);
  return [...ids, ...(memo === null ? [] : [`memo ${say(memo)}`])].join(' · ');
}

/** The id for releasing or attributing a deposit; the console itself only reads. */
function heldId({ depositId }: Deposit): Markup {
  return html` <span class="whole cut" title="POST /v1/deposits/${depositId}/…"
    >${depositId}</span
  >`;
}

function depositRow(deposit: Deposit, snapshot: Snapshot): Markup {
  const { state, reason, asset, blockchainHash } = deposit;
  const why = reason === null ? '' : reason.replaceAll('_', ' ');
  return html`<tr>
    <td>
      <span class="badge ${state}">${stateName(state)}</span>
      ${why === '' ? '' : html`<span class="why">${why}</span>`}
    </td>
    <td class="number amount">${amountCell(deposit.amount, asset, snapshot.decimals)}</td>
    <td class="id name" title="${asset}">${shortened(asset)}</td>
    <td class="number">${depthCell(deposit)}</td>
    <td class="id wide" title="${positionText(deposit, String)}">
      ${positionText(deposit, shortened)}${state === 'held' ? heldId(deposit) : ''}
    </td>
    <td class="id name" title="${blockchainHash}">${shortened(blockchainHash)}</td>
    <td class="number muted" title="${momentText(deposit.firstSeenAt)}">
      ${spanText(snapshot.at - deposit.firstSeenAt)}
    </td>
  </tr>`;
}

function depositTable(snapshot: Snapshot): Markup {
  const { deposits, depositsTotal } = snapshot;
  if (deposits.length === 0) return html`<p class="empty">No deposits yet.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Latest deposits">
      <table>
        <thead>
          <tr>
            <th>State</th>
            <th class="number">Amount</th>
            <th>Asset</th>
            <th class="number">Depth</th>
            <th class="wide">Where</th>
            <th>Hash</th>
            <th class="number">Age</th>
          </tr>
        </thead>
        <tbody>
          ${deposits.map((deposit) => depositRow(deposit, snapshot))}
        </tbody>
      </table>
    </div>
    <p class="foot">The latest ${deposits.length} of ${grouped(String(depositsTotal))}</p>`;
}

/** A break's state since it opened. */
function breakNotes(one: ShownBreak): string[] {
  return [
    ...(one.type === 'reversal_after_credit' ? [reversalNote(one)] : []),
    ...(one.state === 'investigating' ? ['investigating'] : []),
    ...(one.assignee === null ? [] : [one.assignee]),
    ...(one.severity === one.originalSeverity ? [] : [`${one.originalSeverity} at first`]),
  ];
}

/** The break's own text describes the rollback, before the reversal. */
function reversalNote({ reversal }: ShownBreak): string {
  if (reversal === null) return 'not reversed in the feed yet';
  return `reversed in the feed, ${momentText(reversal.createdAt)}`;
}

const ABOUT_BODY: ReadonlySet<BreakType> = new Set(BODY_BREAKS);

/** No link: the API needs a token, and the console's session is none. */
function bodyCall({ type, seq }: ShownBreak): Markup | '' {
  if (!ABOUT_BODY.has(type)) return '';
  return html`<p>Its bytes: <span class="id">GET /v1/journal/${seq}/body</span></p>`;
}

/** The API call that resolves a break; the console itself only reads. */
function closingCall(id: string): string {
  return `POST /v1/breaks/${id}/resolve {"reason":"…"}`;
}

function breakItem(one: ShownBreak, snapshot: Snapshot): Markup {
  const { asset } = one.subject;
  const difference = differenceOf(one);
  return html`<li class="break ${one.severity}">
    <div class="head">
      <span class="severity">${one.severity}</span>
      <b>${one.type.replaceAll('_', ' ')}</b>
      ${breakNotes(one).map((note) => html`<span class="why">${note}</span>`)}
      <time title="${momentText(one.openedAt)}">${spanText(snapshot.at - one.openedAt)}</time>
    </div>
    <p>${one.detail}</p>
    ${bodyCall(one)}
    ${
      difference === null || asset === null
        ? ''
        : html`<p class="difference">
            difference
            ${difference > 0n ? '+' : ''}${amountCell(difference, asset, snapshot.decimals)}
            <span class="id">${asset}</span>
          </p>`
    }
    <p class="id"><span class="whole" title="${closingCall(one.breakId)}">${one.breakId}</span></p>
  </li>`;
}

function breakList(snapshot: Snapshot): Markup {
  const { breaks, counts } = snapshot;
  if (breaks.length === 0) return html`<p class="empty good">No open breaks.</p>`;
  const more = counts.breaks.open - breaks.length;
  return html`<ul class="breaks">
      ${breaks.map((one) => breakItem(one, snapshot))}
    </ul>
    ${more > 0 ? html`<p class="foot">and ${grouped(String(more))} more</p>` : ''}
    <p class="foot">
      Most close by themselves; a person closes one with
      <span class="id">${closingCall('{id}')}</span>
    </p>`;
}

function causes(counts: Readonly<Record<string, number>>): Markup {
  return html`${Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(
      ([cause, count]) =>
        html`<li><span>${cause.replaceAll('_', ' ')}</span><b>${grouped(String(count))}</b></li>`,
    )}`;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function repairsOf({ repairs }: ReconciliationRow): Readonly<Record<string, number>> {
  const { replayed, pulledForward, backfilled } = repairs;
  return { replayed, pulled_forward: pulledForward, backfilled };
}

function runCard(run: ReconciliationRow | undefined, at: number): Markup {
  if (run === undefined) return html`<p class="empty">No reconciliation has run yet.</p>`;
  return html`<dl class="run">
      <div>
        <dt>Matched</dt>
        <dd>${grouped(String(run.matched))}</dd>
      </div>
      <div class="${run.broken > 0 ? 'alarm' : ''}">
        <dt>Break</dt>
        <dd>${grouped(String(run.broken))}</dd>
      </div>
      <div>
        <dt>Exempt</dt>
        <dd>${grouped(String(sumOf(run.exempt)))}</dd>
      </div>
      <div>
        <dt>Skipped</dt>
        <dd>${grouped(String(sumOf(run.skipped)))}</dd>
      </div>
      <div>
        <dt>Repaired</dt>
        <dd>${grouped(String(sumOf(repairsOf(run))))}</dd>
      </div>
    </dl>
    <ul class="causes">
      ${causes(run.exempt)}${causes(run.skipped)}${causes(repairsOf(run))}
    </ul>
    ${
      run.incomplete === null
        ? ''
        : html`<p class="incomplete">Incomplete: ${run.incomplete.replaceAll('_', ' ')}</p>`
    }
    <p class="foot" title="${momentText(run.finishedAt)}">
      ${spanText(at - run.finishedAt)} ago, took ${run.finishedAt - run.startedAt} ms and
      ${run.requests} ${run.requests === 1 ? 'request' : 'requests'}
    </p>`;
}

function noticeList(notices: readonly string[]): Markup | '' {
  if (notices.length === 0) return '';
  return html`<ul class="card notices">
    ${notices.map((notice) => html`<li role="alert">${notice}</li>`)}
  </ul>`;
}

/** The daemon's own state, besides its store. */
export interface DaemonStatus {
  readonly notices: readonly string[];
  /** Null without a custody API. */
  readonly creditLatency: CreditLatencyNow | null;
}

/** The live part of the console. `notices`: urgent notices, each with its remedy. */
export function fragment(snapshot: Snapshot, { notices, creditLatency }: DaemonStatus): Markup {
  return html`${noticeList(notices)}${tiles(snapshot)}
    <section class="card">
      <h2>Deposits by state</h2>
      ${stateBar(snapshot.counts.deposits)}
    </section>
    <div class="columns">
      <section class="card">
        <h2>Latest deposits</h2>
        ${depositTable(snapshot)}
      </section>
      <div class="side">
        <section class="card">
          <h2>Open breaks</h2>
          ${breakList(snapshot)}
        </section>
        ${
          creditLatency === null
            ? ''
            : html`<section class="card">
                <h2>Time to credit, last hour</h2>
                ${creditLatencyCard(creditLatency, snapshot.at)}
              </section>`
        }
        <section class="card">
          <h2>Latest reconciliation</h2>
          ${runCard(snapshot.lastRun, snapshot.at)}
        </section>
      </div>
    </div>
    <section class="card">
      <h2>Closed days</h2>
      ${closeTable(snapshot.closes)}
    </section>
    <p class="taken">As of <time>${momentText(snapshot.at)}</time></p>`;
}
