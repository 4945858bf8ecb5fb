import { differenceOf } from '../../../domain/break/break.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { decimalText, symbolOf } from '../../../pages/parts/value/figure.ts';
import { textOf, type Fields } from '../../../pages/parts/form/form-text.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import { inUnit, readAmount } from '../../parts/value/amount-field.ts';

/** The members of a rule that bound the difference; none without an amount. */
type Bound = { readonly direction?: string; readonly amount?: string };

/** The bound that a form describes, in the words of its message, or what is wrong with it. */
export type ReadSize =
  { readonly bound: Bound; readonly text: string } | { readonly problem: string };

/** A minus as keyboards and as pages write it, and the digits behind it. */
const SIGNED = /^([-−]?)\s*(.*)$/;

/** `−1.5 ETH (−1500000000000000000 smallest units)`; without known decimals smallest units alone. */
function sizeText(units: bigint, asset: string | null, decimals: Decimals): string {
  const exact = `${units} smallest units`.replace('-', '−');
  const count = asset === null ? undefined : decimals.get(asset);
  if (asset === null || count === undefined) return exact;
  return `${decimalText(units, count)} ${symbolOf(asset)} (${exact})`;
}

/**
 * Reads the amount of a form in the unit that it names, exactly. Without an amount a rule has no
 * direction either.
 */
export function sizeIn(fields: Fields, decimals: Decimals): ReadSize {
  const written = textOf(fields, 'amount').trim();
  if (written === '') return { bound: {}, text: '' };
  const named = textOf(fields, 'asset').trim();
  const asset = named === '' ? null : named;
  const unit = textOf(fields, 'unit') === 'own' ? 'own' : 'smallest';
  if (unit === 'own' && asset === null) {
    return { problem: 'Amount: a rule without an asset has no unit: choose smallest units.' };
  }
  const [, minus = '', digits = ''] = SIGNED.exec(written) ?? [];
  const read = readAmount({ text: digits, unit, asset }, decimals);
  if ('problem' in read) return { problem: `Amount: ${read.problem}` };
  const amount = minus === '' ? read.units : `-${read.units}`;
  const direction = textOf(fields, 'direction').trim();
  const side = direction === '>=' ? 'at least' : 'at most';
  const text = ` for ours − theirs of ${side} ${sizeText(BigInt(amount), asset, decimals)}`;
  return { bound: { direction, amount }, text };
}

/** What the amount is written in; a choice only where the asset has a unit of its own. */
function UnitField({ asset, count }: { asset: string; count: number | undefined }): Markup {
  if (count === undefined || count === 0) return <></>;
  return (
    <label class="field">
      <span>Unit of the amount</span>
      <select name="unit">
        <option value="own" selected>
          {symbolOf(asset)}
        </option>
        <option value="smallest">smallest units</option>
      </select>
    </label>
  );
}

/** How far the difference may grow: from the break's own figure, on the side where it lies. */
export function SizeFields({ one, decimals }: { one: ShownBreak; decimals: Decimals }): Markup {
  const difference = differenceOf(one);
  const { asset } = one.subject;
  const count = asset === null ? undefined : decimals.get(asset);
  const isNegative = difference !== null && difference < 0n;
  const now = difference === null ? '' : `; now ${sizeText(difference, asset, decimals)}`;
  const value = difference === null ? '' : inUnit(`${difference}`, count ?? 0).replace('−', '-');
  return (
    <>
      <label class="field">
        <span>Ours − theirs</span>
        <select name="direction">
          <option value="<=" selected={!isNegative}>
            at most (also anything below zero)
          </option>
          <option value=">=" selected={isNegative}>
            at least (also anything above zero)
          </option>
        </select>
      </label>
      <label class="field">
        <span>{count === undefined ? `Amount, in smallest units${now}` : `Amount${now}`}</span>
        <input
          name="amount"
          value={value}
          maxlength={160}
          placeholder="any"
          inputmode="text"
          autocomplete="off"
        />
      </label>
      {asset !== null && <UnitField asset={asset} count={count} />}
    </>
  );
}
