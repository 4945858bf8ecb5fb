import { partsOf } from '../../../domain/break/break.ts';
import { EXEMPTIBLE_TYPES, isExemptible } from '../../../domain/break/exemption.ts';
import { versionText } from '../../../domain/fact/basis.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { basisIn, textOf, type Fields } from '../../../pages/parts/form/form-text.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import type { Action } from '../../frame/context.ts';
import { labelOf } from '../../frame/form-words.ts';
import { EXEMPTIONS_PATH } from './exemptions-page.tsx';
import { PATH } from '../filter.ts';
import { daysAfter, dayText } from '../../parts/value/moments.ts';
import { typeText } from '../../parts/break-causes.ts';
import type { Looking } from '../queue/queue.tsx';
import { sizeIn, SizeFields } from './size.tsx';

/** A proposed rule ends after so many days; a person may choose another end. */
const PROPOSED_DAYS = 7;

/** Members of a rule that narrow it to the break; an empty one is left out. */
const SCOPE = ['asset', 'vaultId', 'network', 'blockchainHash'] as const;

/**
 * Adds the rule of a form that was filled from a break. The amount is read here, in the unit that
 * the form names; the API checks every other field, and that the break is still as the form's reader
 * saw it.
 */
export function exemptAction(
  breakId: string,
  fields: Fields,
  decimals: Decimals,
): Omit<Action, 'back'> {
  const narrowing = ['breakType', ...SCOPE].flatMap((name) => {
    const value = textOf(fields, name).trim();
    return value === '' ? [] : [[name, value] as const];
  });
  const required = ['rule', 'owner', 'until', 'reason'].map((name) => [name, textOf(fields, name)]);
  const size = sizeIn(fields, decimals);
  const bound = 'problem' in size ? {} : size.bound;
  const texts = Object.fromEntries([...narrowing, ...required]) as Record<string, string>;
  const rule = { ...texts, ...bound };
  const seen = basisIn(fields);
  return {
    method: 'POST',
    path: '/v1/exemptions',
    body: 'basis' in seen ? { ...rule, breakId, ...seen } : rule,
    written: { ...rule, amount: textOf(fields, 'amount') },
    problem: 'problem' in size ? size.problem : null,
    done: `The rule ${textOf(fields, 'rule')} is in force${'text' in size ? size.text : ''}. The next run closes the open breaks that it matches.`,
  };
}

/** Whether a rule can exempt a break. Its severity may have risen with age. */
export function mayBeExempt({ type, subject, originalSeverity: severity }: ShownBreak): boolean {
  return isExemptible({ type, subject, severity });
}

/** A break that a rule is filled from. */
interface Exempting {
  readonly one: ShownBreak;
  readonly decimals: Decimals;
  readonly looking: Looking;
}

function RuleFields({ one, decimals, looking }: Exempting): Markup {
  const end = dayText(daysAfter(looking.now, PROPOSED_DAYS));
  return (
    <>
      <label class="field">
        <span>Rule</span>
        <input
          name="rule"
          value={one.breakId}
          required
          pattern="[A-Za-z0-9][A-Za-z0-9 ._\-]{0,63}"
          title="1 to 64 letters, digits, spaces or ._- that begin with a letter or digit"
          autocomplete="off"
        />
      </label>
      <label class="field">
        <span>Type</span>
        <select name="breakType">
          {EXEMPTIBLE_TYPES.map((type) => (
            <option value={type} selected={type === one.type}>
              {typeText(type)}
            </option>
          ))}
        </select>
      </label>
      {SCOPE.map((name) => (
        <label class="field">
          <span>{labelOf(name)}</span>
          <input
            name={name}
            value={one.subject[name] ?? ''}
            maxlength={512}
            placeholder="any"
            autocomplete="off"
          />
        </label>
      ))}
      <SizeFields one={one} decimals={decimals} />
      <label class="field">
        <span>Owner</span>
        <input name="owner" value={looking.name ?? ''} required maxlength={1_000} />
      </label>
      <label class="field">
        <span>End (this whole day, in UTC)</span>
        <input name="until" type="date" value={end} required />
      </label>
    </>
  );
}

/** Accepts a known difference until a day, by a rule that is filled from the break. */
export function ExemptCard({ one, decimals, looking }: Exempting): Markup {
  if (one.state === 'resolved' || !mayBeExempt(one)) return <></>;
  return (
    <Card
      id="exempt"
      title="Exempt a known difference"
      aside={<a href={EXEMPTIONS_PATH}>Every rule</a>}
    >
      <p>A rule accepts a difference until its end. It never causes a credit.</p>
      {looking.mayAct && (
        <ConfirmForm
          action={`${PATH}/${one.breakId}/exempt`}
          label="Exempt"
          effect="The rule is in force at once. The next run closes every open break that it matches, also this one. An empty field matches anything, also any size. After the end, the next run opens a break for what still differs."
          hidden={{ basis: versionText(partsOf(one)) }}
        >
          <RuleFields {...{ one, decimals, looking }} />
        </ConfirmForm>
      )}
    </Card>
  );
}
