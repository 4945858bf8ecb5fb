import { html } from 'hono/html';
import type { SignedDay } from '../../store/answers.ts';
import { momentText } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';

function signedBy({ signatures }: SignedDay, role: 'preparer' | 'reviewer'): Markup {
  const signed = signatures.find((one) => one.role === role);
  return signed === undefined
    ? html`<td class="muted">not signed</td>`
    : html`<td title="${momentText(signed.signedAt)}">${signed.person}</td>`;
}

function row(one: SignedDay): Markup {
  const { day, status, reportHash } = one.close;
  return html`<tr>
    <td><a href="/console/reports/${day}">${day}</a></td>
    <td><span class="badge ${status === 'balanced' ? 'settled' : 'held'}">${status}</span></td>
    ${signedBy(one, 'preparer')} ${signedBy(one, 'reviewer')}
    <td class="id">${reportHash}</td>
  </tr>`;
}

/** The latest closed days with their signatures; each links to its report. */
export function closeTable(closes: readonly SignedDay[]): Markup {
  if (closes.length === 0) return html`<p class="empty">No day is closed yet.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Closed days">
    <table>
      <thead>
        <tr>
          <th>Day</th>
          <th>Status</th>
          <th>Preparer</th>
          <th>Reviewer</th>
          <th>reportHash</th>
        </tr>
      </thead>
      <tbody>
        ${closes.map(row)}
      </tbody>
    </table>
    <p class="foot">
      Read the report, then sign it with
      <span class="id">POST /v1/reports/daily/{date}/sign {"role","reason","reportHash"}</span>
    </p>
  </div>`;
}
