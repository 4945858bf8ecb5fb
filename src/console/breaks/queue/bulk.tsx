import type { ApiCall } from '../../../api/acting.ts';
import { ChooseEvery } from '../../../pages/parts/form/choose-every.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { PATH } from '../filter.ts';
import { ReasonField } from '../../../pages/parts/form/reason-field.tsx';

/** Breaks that one form changes: a page of the queue. */
export const BULK_MAX = 100;
export const BULK_FORM = 'bulk';

/** What a person does with a break, in the API's words. */
export const STEPS = ['investigate', 'assign', 'notes', 'resolve'] as const;
export type Step = (typeof STEPS)[number];

/** What the message says of a step. */
export const DONE: Readonly<Record<Step, string>> = {
  investigate: 'under investigation',
  assign: 'assigned',
  notes: 'noted',
  resolve: 'resolved',
};

/** A person's words for a step. `assignee`: empty for nobody. */
export interface StepWords {
  readonly reason: string;
  readonly assignee: string;
}

/** A break in the version that a person saw; an empty version compares nothing. */
export interface SeenBreak {
  readonly breakId: string;
  readonly version: string;
}

/** A ticked box as its form sends it: the id and the version, separated by a space. */
export function tickOf({ breakId, version }: SeenBreak): string {
  return `${breakId} ${version}`;
}

/** The break of a ticked box. */
export function seenIn(tick: string): SeenBreak {
  const [breakId = '', ...rest] = tick.split(' ');
  return { breakId, version: rest.join(' ') };
}

/** The API's call for a step. */
export function callOf(
  step: Step,
  { breakId, version }: SeenBreak,
  { reason, assignee }: StepWords,
): ApiCall {
  const path = `/v1/breaks/${encodeURIComponent(breakId)}/${step}`;
  const bodies: Readonly<Record<Step, object>> = {
    investigate: { reason },
    assign: { assignee: assignee.trim() === '' ? null : assignee, reason },
    notes: { note: reason },
    resolve: { reason },
  };
  const basis = version === '' ? {} : { basis: version };
  return { method: 'POST', path, body: { ...bodies[step], ...basis } };
}

/** `Break brk_1 is resolved.`, `12 breaks are resolved.` */
export function doneText(step: Step, count: number): string {
  return count === 1 ? `1 break is ${DONE[step]}.` : `${count} breaks are ${DONE[step]}.`;
}

/** The form of the ticked boxes. Enter in a field sends the first button, the mildest step. */
export function BulkForm(form: { back: string; name: string }): Markup {
  return (
    <form class="bulk" id={BULK_FORM} method="post" action={`${PATH}/bulk`}>
      <input type="hidden" name="back" value={form.back} />
      <ChooseEvery />
      <ReasonField label="Reason, or the text of the note" />
      <label class="field">
        <span>Assignee (empty: nobody)</span>
        <input name="assignee" value={form.name} maxlength={256} autocomplete="off" />
      </label>
      <div class="buttons">
        <button name="step" value="investigate">
          Investigate
        </button>
        <button name="step" value="notes">
          Note
        </button>
        <button name="step" value="assign">
          Assign
        </button>
        <button class="primary" name="step" value="resolve">
          Resolve
        </button>
      </div>
      <p class="muted">
        The buttons change the ticked breaks. Resolving an unexplained movement posts its amount to
        suspense. Resolving a deposit that is unknown to the custody API takes it from the books.
        Resolving an unattributed memo credits nothing: the deposit stays held until somebody names
        its owner.
      </p>
    </form>
  );
}
