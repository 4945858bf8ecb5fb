import { html } from 'hono/html';
import type { DailyReport } from '../../domain/close/report.ts';
import { decimalsByAsset } from '../asset-totals.ts';
import { textPieces, type TextAmount } from '../../domain/money/text-amounts.ts';
import { concise, scaled } from '../figure.ts';
import { vaultNameOf } from '../vault-name.ts';

export type Markup = ReturnType<typeof html>;

/** A vault by its name, if known, and its id. */
export function vaultMark(report: DailyReport, vaultId: string | null): Markup | string {
  if (vaultId === null) return '';
  const name = vaultNameOf(report, vaultId);
  const id = html`<span class="id">${vaultId}</span>`;
  return name === null ? id : html`<b>${name}</b> ${id}`;
}

/** Formats an asset's amount like the totals, with the exact amount as title. */
export type AmountOf = (asset: string | null, amount: string | null) => Markup | string;

/** A formatter with the decimals of the report's totals. */
export function amountsLike(report: DailyReport): AmountOf {
  const decimals = decimalsByAsset(report);
  return (asset, amount) =>
    amount === null
      ? ''
      : html`<span title="${amount}">${scaled(amount, decimals.get(asset ?? '') ?? null)}</span>`;
}

/** Formats a sentence with its amounts in the asset's own unit. `asset`: the one it is about. */
export type SentenceOf = (text: string, asset: string | null) => Markup;

/** A formatter with the decimals of the report's totals. */
export function sentencesLike(report: DailyReport): SentenceOf {
  const known = decimalsByAsset(report);
  const amountMark = ({ units, decimals, symbol }: TextAmount): Markup => {
    const shown = `${concise(units, decimals)} ${symbol}`;
    return html`<span title="${units}">${shown}</span>`;
  };
  return (text, asset) =>
    html`${textPieces(text, asset, known).map((one) =>
      typeof one === 'string' ? one : amountMark(one),
    )}`;
}

type Cell = Markup | string | number | null;

/** A column of a list; numbers align right. */
export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => Cell;
  readonly is?: 'number' | 'id' | 'time';
}

/** A table of a list, or a sentence when it is empty. */
export function listed<Item>(
  items: readonly Item[],
  table: {
    readonly title: string;
    readonly none: string;
    readonly note?: string;
    readonly columns: readonly Column<Item>[];
  },
): Markup {
  const { title, none, note, columns } = table;
  if (items.length === 0) {
    return html`<h2>${title}</h2>
      <p class="note">${none}</p>`;
  }
  return html`<h2>${title} (${items.length})</h2>
    ${note === undefined ? '' : html`<p class="note">${note}</p>`}
    <div class="scroll" tabindex="0" role="group" aria-label="${title}">
      <table class="list">
        <thead>
          <tr>
            ${columns.map(({ title: name, is }) => html`<th class="${is ?? ''}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item) =>
              html`<tr>
                ${columns.map(
                  ({ cell, is }) => html`<td class="${is ?? 'text'}">${cell(item) ?? ''}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
