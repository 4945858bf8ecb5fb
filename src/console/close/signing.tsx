import type { SignatureRole } from '../../domain/close/record.ts';
import type { CloseSignature } from '../../domain/close/signature.ts';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { CLOSE_PATH } from './calendar.tsx';

/** What the signatures of a day need. */
export interface SigningShown {
  readonly day: string;
  /** The hash that a signature names: that of the report on this page. */
  readonly reportHash: string;
  readonly signatures: readonly CloseSignature[];
  /** Name of the signed-in person; undefined in a public console. */
  readonly person: string | undefined;
  /** Whether the person's role may sign. */
  readonly maySign: boolean;
}

const TITLES: Record<SignatureRole, string> = { preparer: 'Prepared by', reviewer: 'Reviewed by' };

/**
 * The message after a signature: what is so, and what is next. `before`: the signatures until then,
 * among which the person's own may be already.
 */
export function signedText(
  day: string,
  by: { readonly role: SignatureRole; readonly person: string | undefined },
  before: readonly CloseSignature[],
): string {
  const { role, person } = by;
  const verb = role === 'preparer' ? 'prepared' : 'reviewed';
  const isKnown = before.some((one) => one.role === role && one.person === person);
  const isWhole = role === 'reviewer' || before.some((one) => one.role === 'reviewer');
  const done = isKnown
    ? `You had ${verb} ${day} already: your first signature and its reason stay.`
    : `You ${verb} ${day}.`;
  const next = isWhole
    ? 'Both signatures are there: keep a download of the report.'
    : 'Next, another person reviews it.';
  return `${done} ${next}`;
}

function SignForm({ shown, role }: { shown: SigningShown; role: SignatureRole }): Markup {
  const { day, reportHash } = shown;
  const label = role === 'preparer' ? 'Prepare' : 'Review';
  const next =
    role === 'preparer' ? 'Another person reviews it afterwards.' : 'The day is then fully signed.';
  return (
    <ConfirmForm
      action={`${CLOSE_PATH}/${day}/sign`}
      label={label}
      effect={`Signs the report of ${day} as ${role}, in your name. A signature is never taken back. ${next}`}
      hidden={{ role, reportHash }}
    >
      <p>
        You sign the report with the hash <span class="id">{reportHash}</span>
      </p>
    </ConfirmForm>
  );
}

/** What is next in a role: the form, or why this person has none. */
function NextStep({ shown, role }: { shown: SigningShown; role: SignatureRole }): Markup {
  const { signatures, person, maySign } = shown;
  const preparer = signatures.find((one) => one.role === 'preparer');
  if (role === 'reviewer' && preparer === undefined) {
    return <span class="muted">waits for the preparer</span>;
  }
  if (!maySign) return <span class="muted">nobody yet; your role may not sign</span>;
  if (role === 'reviewer' && preparer?.person === person) {
    return <span class="muted">nobody yet; another person than you reviews</span>;
  }
  return <SignForm shown={shown} role={role} />;
}

/** The report's hash, both signatures, and the form for the next one. */
export function Signing({ shown }: { shown: SigningShown }): Markup {
  return (
    <dl class="facts signing">
      <Fact name="Report hash (SHA-256)">
        <Identifier value={shown.reportHash} whole />
      </Fact>
      {(['preparer', 'reviewer'] as const).map((role) => {
        const signature = shown.signatures.find((one) => one.role === role);
        return (
          <Fact name={TITLES[role]}>
            {signature === undefined ? (
              <NextStep shown={shown} role={role} />
            ) : (
              <>
                {signature.person}, <Moment at={signature.signedAt} />
                <span class="why">{signature.reason}</span>
              </>
            )}
          </Fact>
        );
      })}
    </dl>
  );
}
