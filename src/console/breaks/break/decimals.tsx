import type { ApiCall, ApiRoute } from '../../../api/acting.ts';
import { versionText } from '../../../domain/fact/basis.ts';
import { decimalsParts } from '../../../domain/fact/pinned-decimals.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { basisIn, textOf, type Fields } from '../../../pages/parts/form/form-text.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { PATH } from '../filter.ts';
import type { Looking } from '../queue/queue.tsx';

/** The API's route that corrects an asset's decimals. */
export function correctionOf(asset: string): ApiRoute {
  return { method: 'POST', path: `/v1/assets/${encodeURIComponent(asset)}/decimals` };
}

/** The API's call for the form of a break; the API checks the count. */
export function correctionCall(fields: Fields): ApiCall {
  const count = textOf(fields, 'decimals').trim();
  const decimals = /^\d{1,3}$/.test(count) ? Number(count) : count;
  const body = { decimals, reason: textOf(fields, 'reason'), ...basisIn(fields) };
  return { ...correctionOf(textOf(fields, 'asset')), body };
}

/** Corrects the decimals that an asset's first notification gave; filled with those of the break. */
export function DecimalsCard(shown: {
  one: ShownBreak;
  decimals: Decimals;
  /** The decimals that the break's notification states. */
  stated: number | null;
  looking: Looking;
}): Markup {
  const { one, decimals, stated, looking } = shown;
  const { asset } = one.subject;
  const pinned = asset === null ? undefined : decimals.get(asset);
  if (one.type !== 'decimals_changed' || one.state === 'resolved') return <></>;
  if (asset === null || pinned === undefined || !looking.mayCorrectDecimals) return <></>;
  return (
    <Card id="decimals" title="Correct the decimals">
      <p>
        Do this if the first notification of {asset} was wrong. If the new decimals are wrong,
        release the deposit instead.
      </p>
      <ConfirmForm
        action={`${PATH}/${one.breakId}/decimals`}
        label="Correct"
        effect={`Counts every later deposit of ${asset} with these decimals instead of ${pinned}. Deposits that came with them go on and may be credited, and their breaks close. No amount changes: amounts are in smallest units.`}
        hidden={{ asset, basis: versionText(decimalsParts(pinned)) }}
        danger
      >
        <label class="field">
          <span>Decimals</span>
          <input
            name="decimals"
            type="number"
            min={0}
            max={255}
            required
            value={stated === null ? '' : String(stated)}
          />
        </label>
      </ConfirmForm>
    </Card>
  );
}
