import type { PropsWithChildren } from 'hono/jsx';
import type { Markup } from '../markup.ts';
import { ReasonField } from './reason-field.tsx';

/** An action that a person confirms. */
interface Confirmation {
  /** A POST route. */
  readonly action: string;
  /** The button that opens the form, and the one that sends it: `Hold…`, `Hold`. */
  readonly label: string;
  /** What will happen, one or two sentences. */
  readonly effect: string;
  /** Names and values to send along: the version that the decision was based on. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** Asks for a reason, which the journal keeps. True by default. */
  readonly asksReason?: boolean;
  /** Marks actions that stop or move money. */
  readonly danger?: boolean;
}

/** A form that opens in place and works without scripts. Children: further fields. */
export function ConfirmForm(props: PropsWithChildren<Confirmation>): Markup {
  const { action, label, effect, hidden = {}, asksReason = true, danger = false } = props;
  return (
    <details class={`confirm${danger ? ' danger' : ''}`}>
      <summary class="button">{label}…</summary>
      <form method="post" action={action}>
        <p>{effect}</p>
        {Object.entries(hidden).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {props.children}
        {asksReason && <ReasonField />}
        <button class="primary">{label}</button>
      </form>
    </details>
  );
}
