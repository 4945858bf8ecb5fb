import { breakKey, partsOf, type BreakType } from '../../../domain/break/break.ts';
import { versionText } from '../../../domain/fact/basis.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { decimalText, symbolOf } from '../../../pages/parts/value/figure.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { mayBeExempt } from '../exempt/exempt.tsx';
import { PATH } from '../filter.ts';
import { ReasonField } from '../../../pages/parts/form/reason-field.tsx';

/** Differences that last, and that no rule exempts. */
const LASTING_TYPES = [
  'stale_deposit',
  'stale_withdrawal',
  'delivery_backlog',
] as const satisfies readonly BreakType[];

/** What opens a break again after a person has resolved it. Breaks of one event stay closed. */
function againText(one: ShownBreak): string {
  const { type } = one;
  // A run reads the custody API's newest rows: an older one is compared when it is read again.
  if (mayBeExempt(one)) {
    return ' If the same difference is found again, a new break opens: exempt it to keep it closed.';
  }
  if (type === 'status_mismatch')
    return ' If the same difference is found again, a new break opens.';
  return (LASTING_TYPES as readonly BreakType[]).includes(type)
    ? ' If the cause lasts, a new break opens: mend the cause first.'
    : '';
}

/** Says when the resolution posts, and what. */
function resolveEffect(one: ShownBreak, decimals: Decimals): string {
  const { key, type, subject, expected } = one;
  const { asset, depositId, vaultId } = subject;
  if (type === 'unattributed_memo') {
    return 'Closes the break in your name. It credits nothing: the deposit stays held until somebody names its owner.';
  }
  // The break of a correction has another key.
  if (type === 'unknown_to_custody' && key === breakKey(type, depositId)) {
    return 'Closes the break in your name. If the custody API has verified nothing at this position, it takes the deposit from the books. If a webhook took a credited deposit back, the feed reverses its credit. If the API shows the deposit later, a sweep books it again.';
  }
  if (type === 'conservation') {
    // A resolution makes the next run compare exactly this movement.
    return 'Closes the break in your name. If a suspense entry of this movement makes the difference, it takes that entry back. If the books took everything back and the chain still shows the movement, it books that to suspense. Otherwise it posts nothing, and the next run opens a new break: exempt it to keep it closed.';
  }
  if (type !== 'unexplained_movement' || asset === null || expected === null) {
    return `Closes the break in your name; it posts nothing.${againText(one)}`;
  }
  const count = decimals.get(asset);
  const amount =
    count === undefined
      ? `${expected} smallest units of ${asset}`
      : `${decimalText(expected, count)} ${symbolOf(asset)}`;
  return `Closes the break in your name. If the books still lack the movement, it posts ${amount} to the vault, against suspense:${vaultId ?? ''}, so that the books agree with the chain.`;
}

/** What a person may do with a break. A resolved one only takes notes. */
export function Steps(props: { one: ShownBreak; name: string; decimals: Decimals }): Markup {
  const { one, name, decimals } = props;
  const { breakId, state } = one;
  const hidden = { basis: versionText(partsOf(one)) };
  const action = (step: string): string => `${PATH}/${breakId}/${step}`;
  const note = (
    <ConfirmForm
      action={action('notes')}
      label="Note"
      effect="Adds a note to the history, for your colleagues."
      asksReason={false}
      hidden={hidden}
    >
      <ReasonField label="Note" />
    </ConfirmForm>
  );
  if (state === 'resolved') return <div class="actions">{note}</div>;
  return (
    <div class="actions">
      <ConfirmForm
        action={action('assign')}
        label="Assign"
        effect="Others see this name in the queue. An empty name removes the assignee."
        hidden={hidden}
      >
        <label class="field">
          <span>Assignee</span>
          <input name="assignee" value={name} maxlength={256} autocomplete="off" />
        </label>
      </ConfirmForm>
      <ConfirmForm
        action={action('investigate')}
        label="Investigate"
        effect="Marks the break as under investigation. Its severity still rises with age."
        hidden={hidden}
      />
      {note}
      <ConfirmForm
        action={action('resolve')}
        label="Resolve"
        effect={resolveEffect(one, decimals)}
        hidden={hidden}
      />
    </div>
  );
}
