import { html } from 'hono/html';
import type { DailyReport, ReportCustody, ReportTotal } from '../../domain/close/report.ts';
import { groupedBy } from '../../domain/grouped.ts';
import { assetTotal, ROLL_FORWARD, type Figure } from '../asset-totals.ts';
import { insteadOf, missingChainViews, type MissingChainViews } from '../missing-witness.ts';
import { scaled } from '../figure.ts';
import { vaultMark, type Markup } from './markup.ts';
import { waterfall } from './waterfall.ts';

type Column = readonly [figure: Figure, title: string];

const CHAIN: readonly Column[] = [
  ['closing', 'Closing'],
  ['chainClosing', 'Chain view'],
  ['chainDifference', 'Closing − chain'],
];

/** How custody's figure is reduced to the cut-off; absent in reports of version 1. */
const CUT_OFF: readonly Column[] = [
  ['custodyRead', 'Custody as read'],
  ['custodyAfterCutOff', '− After the cut-off'],
];

/** Custody lists no amounts of a failed transaction: its fee counts as the chain shows it. */
const BURNED: readonly Column[] = [['custodyBurnedFees', 'Burned fees in it']];

const CUSTODY: readonly Column[] = [
  ['custodyClosing', 'Custody'],
  ['custodyDifference', 'Closing − custody'],
];

function comparedColumns(totals: readonly ReportTotal[]): readonly Column[] {
  const hasCutOff = totals.some(({ custodyRead }) => custodyRead !== undefined);
  const hasBurned = totals.some(({ custodyBurnedFees: fees = null }) => /[1-9]/.test(fees ?? ''));
  return [...CHAIN, ...(hasCutOff ? CUT_OFF : []), ...(hasBurned ? BURNED : []), ...CUSTODY];
}

/** A row of figures, how many vaults of it have no chain view, and whether custody was read. */
interface Row {
  readonly figures: Readonly<Partial<Record<Figure, string | null>>>;
  readonly missing: MissingChainViews;
  readonly custody: ReportCustody;
}

function figureCell(row: Row, decimals: number | null, figure: Figure): Markup {
  const amount = row.figures[figure] ?? null;
  const instead = insteadOf(figure, row);
  if (instead !== null) return html`<td class="number note">${instead}</td>`;
  if (amount === null) return html`<td class="number note">not compared</td>`;
  // Most figures are zero: their short form leaves room for the others.
  if (amount === '0') return html`<td class="number zero-figure" title="0">0</td>`;
  const tone = figure.endsWith('Difference') ? 'apart' : figure;
  return html`<td class="number ${tone}" title="${amount}">${scaled(amount, decimals)}</td>`;
}

/** One row per vault, and one over all vaults. `name`: what a screen reader calls it. */
function table(
  totals: readonly [ReportTotal, ...ReportTotal[]],
  { name, columns }: { name: string; columns: readonly Column[] },
  report: DailyReport,
): Markup {
  const sums = assetTotal(totals);
  const cells = (figures: Row['figures'], rows: readonly ReportTotal[]): Markup[] => {
    const row = { figures, missing: missingChainViews(rows), custody: report.custody };
    return columns.map(([figure]) => figureCell(row, sums.decimals, figure));
  };
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${name}">
    <table class="figures">
      <thead>
        <tr>
          <th>Vault</th>
          ${columns.map(([, title]) => html`<th class="number">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${totals.map(
          (total) =>
            html`<tr>
              <td class="vault">${vaultMark(report, total.vaultId)}</td>
              ${cells(total, [total])}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr>
          <td>Total</td>
          ${cells(sums, totals)}
        </tr>
      </tfoot>
    </table>
  </div>`;
}

function assetSection(asset: string, totals: [ReportTotal, ...ReportTotal[]], report: DailyReport) {
  const [{ decimals }] = totals;
  const rolled = { name: `Roll-forward of ${asset}`, columns: ROLL_FORWARD };
  const compared = { name: `Comparison of ${asset}`, columns: comparedColumns(totals) };
  return html`<section>
    <h2>
      <span class="id">${asset}</span>
      ${decimals === null ? html`<span class="note">in smallest units</span>` : ''}
    </h2>
    ${waterfall(totals, decimals)} ${table(totals, rolled, report)}
    <h3>Compared</h3>
    ${table(totals, compared, report)}
  </section>`;
}

/** Each asset's roll-forward and comparisons. */
export function assetSections(report: DailyReport): Markup {
  if (report.totals.length === 0) {
    return html`<p class="note">No vault had a balance or a movement up to the cut-off.</p>`;
  }
  const byAsset = groupedBy(report.totals, ({ asset }) => asset);
  return html`${[...byAsset].map(([asset, totals]) => assetSection(asset, totals, report))}`;
}
