import { partsOf } from '../../domain/break/break.ts';
import { versionText } from '../../domain/fact/basis.ts';
import type { ShownBreak } from '../../store/answers.ts';
import { ConfirmForm } from '../../pages/parts/confirm-form.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { PATH } from './filter.ts';

function resolveEffect({ type }: ShownBreak): string {
  return type === 'unexplained_movement'
    ? 'Closes the break in your name, and posts the amount to suspense, so that the books agree with the chain.'
    : 'Closes the break in your name. It posts nothing.';
}

/** What a person may do with a break. A resolved one only takes notes. */
export function Steps({ one, name }: { one: ShownBreak; name: string }): Markup {
  const { breakId, state } = one;
  const hidden = { basis: versionText(partsOf(one)) };
  const action = (step: string): string => `${PATH}/${breakId}/${step}`;
  const note = (
    <ConfirmForm
      confirm={{
        action: action('notes'),
        label: 'Note',
        effect: 'Adds a note to the history, for your colleagues.',
        asksReason: false,
        hidden,
      }}
    >
      <label class="field">
        <span>Note</span>
        <input name="reason" required maxlength={500} autocomplete="off" />
      </label>
    </ConfirmForm>
  );
  if (state === 'resolved') return <div class="actions">{note}</div>;
  return (
    <div class="actions">
      <ConfirmForm
        confirm={{
          action: action('assign'),
          label: 'Assign',
          effect: 'Others see this name in the queue. An empty name removes the assignee.',
          hidden,
        }}
      >
        <label class="field">
          <span>Assignee</span>
          <input name="assignee" value={name} maxlength={256} autocomplete="off" />
        </label>
      </ConfirmForm>
      <ConfirmForm
        confirm={{
          action: action('investigate'),
          label: 'Investigate',
          effect: 'Marks the break as under investigation. Its severity still rises with age.',
          hidden,
        }}
      />
      {note}
      <ConfirmForm
        confirm={{
          action: action('resolve'),
          label: 'Resolve',
          effect: resolveEffect(one),
          hidden,
        }}
      />
    </div>
  );
}
