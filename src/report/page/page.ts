import { html, raw } from 'hono/html';
import type { DailyReport, ReportStatus } from '../../domain/close/report.ts';
import type { CloseSignature } from '../../domain/close/signature.ts';
import { criticalText } from '../critical-breaks.ts';
import { assetsBeyondBeancount } from '../ledgers/beancount.ts';
import type { SignedReport } from '../signed-report.ts';
import {
  afterCutOff,
  differences,
  exempt,
  inTransit,
  laterBreaks,
  openBreaks,
  openDifferences,
  priorDay,
  unconfirmed,
} from './lists.ts';
import { sentencesLike, type Markup } from './markup.ts';
import { movements } from './movements.ts';
import { STYLESHEET } from './stylesheet.ts';
import { assetSections } from './totals.ts';

const TONES: Record<ReportStatus, string> = {
  balanced: 'balanced',
  'balanced with open differences': 'open',
  exceptions: 'exceptions',
};

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

function verdict(report: DailyReport): Markup {
  const { status, version, exceptions } = report;
  const sentenceOf = sentencesLike(report);
  const sentences: Record<ReportStatus, string> = {
    balanced:
      version === 1
        ? 'Every balance rolls forward, and every difference is explained.'
        : 'Every balance rolls forward, and no difference is open.',
    'balanced with open differences':
      'Every balance rolls forward. The differences below are explained and still open.',
    exceptions: 'Something does not tie, or was not compared:',
  };
  const critical = criticalText(report);
  return html`<p>
      <span class="verdict ${TONES[status]}">${status}</span>
      ${critical === null ? '' : html`<span class="verdict exceptions">${critical}</span>`}
    </p>
    <p>${sentences[status]}</p>
    ${
      exceptions.length === 0
        ? ''
        : html`<ul>
            ${exceptions.map(
              ({ kind, detail }) =>
                html`<li>${kind.replaceAll('_', ' ')}: ${sentenceOf(detail, null)}</li>`,
            )}
          </ul>`
    }`;
}

function custodyLine({ custody }: DailyReport): string {
  return custody.compared
    ? `Compared with the custody API at ${custody.readAt}: ${custody.transactions} transactions read, ${custody.changed} counted anew (they are new, or changed since earlier closes).`
    : `Not compared with the custody API: ${custody.reason}.`;
}

function beyondBeancount({ totals }: DailyReport): Markup | string {
  const assets = assetsBeyondBeancount(totals);
  if (assets.length === 0) return '';
  return html`<p class="note">
    Left out of the beancount export, which keeps 28 digits: ${assets.join(', ')}
  </p>`;
}

/** The report as one self-contained page for screen and print. */
export async function htmlText(signed: SignedReport): Promise<string> {
  const { report, reportHash, signatures } = signed;
  const { day, journal, previous } = report;
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
        <main>
          <h1>Daily close ${day}</h1>
          <p class="lead">
            From ${report.from ?? 'the first fact'} to the cut-off ${report.cutOffAt}, the end of
            the day in ${report.timezone}. Closed ${report.closedAt}.
          </p>
          ${verdict(report)} ${openDifferences(report)}
          <p class="note">
            ${custodyLine(report)} Times are UTC. Amounts are in the asset's own unit where its
            decimals are known; in lists they are as they move the vault's balance.
          </p>
          ${beyondBeancount(report)} ${assetSections(report)} ${differences(report)}
          ${afterCutOff(report)} ${priorDay(report)} ${inTransit(report)} ${unconfirmed(report)}
          ${openBreaks(report)} ${laterBreaks(report)} ${exempt(report)} ${movements(signed)}
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
        </main>
      </body>
    </html>`;
  return page.toString();
}
