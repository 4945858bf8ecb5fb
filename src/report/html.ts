import { html, raw } from 'hono/html';
import type { DailyReport, ReportTotal } from '../domain/close-report.ts';
import type { CloseSignature } from '../domain/close-signature.ts';
import { groupedBy } from '../domain/grouped.ts';
import { assetsBeyondBeancount } from './beancount.ts';
import { ageText, scaled } from './figure.ts';
import type { SignedReport } from './signed-report.ts';
import { STYLESHEET } from './stylesheet.ts';
import { waterfall } from './waterfall.ts';

type Markup = ReturnType<typeof html>;

const FIGURES = [
  ['opening', 'Opening'],
  ['deposits', '+ Deposits'],
  ['withdrawals', '− Withdrawals'],
  ['fees', '− Fees'],
  ['rebates', '+ Rebates'],
  ['mints', '+ Mints'],
  ['internal', '± Internal'],
  ['change', '± Change'],
  ['adjustments', '± Adjustments'],
  ['closing', '= Closing'],
  ['chainClosing', 'Chain view'],
  ['custodyClosing', 'Custody'],
] as const;

function figureCell(amount: string | null, decimals: number | null, figure: string): Markup {
  if (amount === null) return html`<td class="number note">not compared</td>`;
  // Most figures of most days are zero: written short, they leave the room to those that are not.
  if (amount === '0') return html`<td class="number zero-figure" title="0">0</td>`;
  return html`<td class="number ${figure}" title="${amount}">${scaled(amount, decimals)}</td>`;
}

function assetSection(asset: string, totals: readonly ReportTotal[]): Markup {
  const decimals = totals[0]?.decimals ?? null;
  return html`<section>
    <h2>
      <span class="id">${asset}</span>
      ${decimals === null ? html`<span class="note">in smallest units</span>` : ''}
    </h2>
    ${waterfall(totals, decimals)}
    <div class="scroll">
      <table class="figures">
        <thead>
          <tr>
            <th>Vault</th>
            ${FIGURES.map(([, title]) => html`<th class="number">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${totals.map(
            (total) =>
              html`<tr>
                <td class="id vault">${total.vaultId}</td>
                ${FIGURES.map(([figure]) => figureCell(total[figure], decimals, figure))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function sections(report: DailyReport): Markup {
  if (report.totals.length === 0) {
    return html`<p class="note">No vault held or moved anything until the cut-off.</p>`;
  }
  const byAsset = groupedBy(report.totals, ({ asset }) => asset);
  return html`${[...byAsset].map(([asset, totals]) => assetSection(asset, totals))}`;
}

/** A table of a list, or a sentence where it is empty. */
function listed<Item>(
  items: readonly Item[],
  table: {
    title: string;
    none: string;
    columns: readonly string[];
    cells: (item: Item) => readonly (string | number | null | Markup)[];
  },
): Markup {
  const { title, none, columns, cells } = table;
  if (items.length === 0) {
    return html`<h2>${title}</h2>
      <p class="note">${none}</p>`;
  }
  return html`<h2>${title} (${items.length})</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th>${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item) =>
              html`<tr>
                ${cells(item).map((text) => html`<td class="id">${text ?? ''}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

type AmountOf = (asset: string | null, amount: string | null) => Markup | null;

/** Shows an amount of an asset as the totals do, exact in its title. */
function amountsLike({ totals }: DailyReport): AmountOf {
  const decimals = new Map(totals.map((total) => [total.asset, total.decimals]));
  return (asset, amount) =>
    amount === null
      ? null
      : html`<span title="${amount}">${scaled(amount, decimals.get(asset ?? '') ?? null)}</span>`;
}

function differences(report: DailyReport, amountOf: AmountOf): Markup {
  return listed(report.differences, {
    title: 'Differences',
    none: 'The books agree with everything that they were compared with.',
    columns: ['Against', 'Vault', 'Hash', 'Asset', 'Ours', 'Theirs', 'Difference', 'Explanation'],
    cells: (one) => [
      one.against,
      one.vaultId,
      one.blockchainHash,
      one.asset,
      amountOf(one.asset, one.actual),
      amountOf(one.asset, one.expected),
      amountOf(one.asset, one.difference),
      `${one.explanation.replaceAll('_', ' ')}${one.breakId === null ? '' : ` ${one.breakId}`}: ${one.detail}`,
    ],
  });
}

function priorDay(report: DailyReport, amountOf: AmountOf): Markup {
  return listed(report.priorDay, {
    title: 'Prior-day items',
    none: 'Nothing in this day belongs to a day closed before.',
    columns: ['Belongs to', 'Why', 'Vault', 'Hash', 'Asset', 'Amount', 'Detail'],
    cells: (one) => [
      one.day,
      one.reason.replaceAll('_', ' '),
      one.vaultId,
      one.blockchainHash,
      one.asset,
      amountOf(one.asset, one.amount),
      one.detail,
    ],
  });
}

function inTransit(report: DailyReport, amountOf: AmountOf): Markup {
  return listed(report.inTransit, {
    title: 'In transit',
    none: 'Both legs of every own transfer are in the books.',
    columns: ['What', 'Vault', 'Hash', 'Asset', 'Amount'],
    cells: (one) => [
      one.kind,
      one.vaultId,
      one.blockchainHash,
      one.asset,
      amountOf(one.asset, one.amount),
    ],
  });
}

function openBreaks(report: DailyReport, amountOf: AmountOf): Markup {
  const { under1Day, under7Days, under30Days, over30Days } = report.ageing;
  const ageing = `By age: ${under1Day} under a day, ${under7Days} under a week, ${under30Days} under 30 days, ${over30Days} older.`;
  return html`${listed(report.openBreaks, {
    title: 'Breaks open at the cut-off',
    none: 'No break was open at the cut-off.',
    columns: ['Age', 'Type', 'Severity', 'State', 'Vault', 'Asset', 'Difference', 'Detail', 'Id'],
    cells: (one) => [
      ageText(one.ageSeconds),
      one.type.replaceAll('_', ' '),
      one.severity,
      one.state,
      one.vaultId,
      one.asset,
      amountOf(one.asset, one.difference),
      one.detail,
      one.breakId,
    ],
  })}
  ${report.openBreaks.length === 0 ? '' : html`<p class="note">${ageing}</p>`}`;
}

/** A day that was closed before this was told, or late, says nothing of it. */
function exempt({ exempt: counts }: DailyReport): Markup | string {
  if (counts === undefined) return '';
  return listed(Object.entries(counts), {
    title: 'Exempt by rule',
    none: 'No rule exempted a difference.',
    columns: ['Rule', 'Differences'],
    cells: (one) => one,
  });
}

function signature(
  role: CloseSignature['role'],
  title: string,
  signatures: readonly CloseSignature[],
): Markup {
  const signed = signatures.find((one) => one.role === role);
  return html`<div>
    <b>${title}</b>
    ${
      signed === undefined
        ? html`<p class="note">not signed</p>`
        : html`<p>
            ${signed.person}, ${new Date(signed.signedAt).toISOString()}<br />${signed.reason}
          </p>`
    }
  </div>`;
}

function custodyLine({ custody }: DailyReport): string {
  return custody.compared
    ? `Compared with the custody API at ${custody.readAt}: ${custody.transactions} transactions read, ${custody.changed} counted anew.`
    : `Not compared with the custody API: ${custody.reason}.`;
}

function beyondBeancount({ totals }: DailyReport): Markup | string {
  const assets = assetsBeyondBeancount(totals);
  if (assets.length === 0) return '';
  return html`<p class="note">
    Left out of the beancount export, which keeps 28 digits: ${assets.join(', ')}
  </p>`;
}

/** The report as one page that needs nothing else, to be read on a screen and printed. */
export async function htmlText(signed: SignedReport): Promise<string> {
  const { report, reportHash, signatures } = signed;
  const { day, status, exceptions, journal, previous } = report;
  const amountOf = amountsLike(report);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Daily close ${day}</title>
        <style>
          ${raw(STYLESHEET)}
        </style>
      </head>
      <body>
        <h1>Daily close ${day}</h1>
        <p class="lead">
          Cut-off ${report.cutOffAt} (midnight in ${report.timezone}), closed ${report.closedAt}
        </p>
        <p><span class="verdict ${status}">${status}</span></p>
        ${
          exceptions.length === 0
            ? html`<p>Every balance rolls forward, and every difference is explained.</p>`
            : html`<ul>
                ${exceptions.map(
                  ({ kind, detail }) => html`<li>${kind.replaceAll('_', ' ')}: ${detail}</li>`,
                )}
              </ul>`
        }
        <p class="note">${custodyLine(report)}</p>
        ${beyondBeancount(report)} ${sections(report)} ${differences(report, amountOf)}
        ${priorDay(report, amountOf)} ${inTransit(report, amountOf)} ${openBreaks(report, amountOf)}
        ${exempt(report)}
        <h2>Signatures</h2>
        <div class="sign">
          ${signature('preparer', 'Preparer', signatures)}
          ${signature('reviewer', 'Reviewer', signatures)}
        </div>
        <h2>Seal</h2>
        <p class="seal">
          report sha256 ${reportHash}<br />
          journal facts ${journal.afterSeq + 1} to ${journal.throughSeq}, commit
          ${journal.commitNumber}, ${journal.sealHash}<br />
          ${
            previous === null
              ? 'the first closed day'
              : html`day before ${previous.day}, report sha256 ${previous.reportHash}`
          }
        </p>
      </body>
    </html>`;
  return page.toString();
}
