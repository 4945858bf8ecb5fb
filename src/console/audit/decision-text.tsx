import type { Child } from 'hono/jsx';
import type { Decision } from '../../domain/fact/decision.ts';
import { scopeText } from '../../domain/policy/halt.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { subjectLink } from '../parts/subject-link.ts';

export type DecisionKind = Decision['kind'];

/** What each kind of decision is, for the filter. */
export const KIND_NAMES: Record<DecisionKind, string> = {
  policy: 'policy set',
  halt: 'halt set',
  resume: 'halt lifted',
  exemptions: 'exemption rules set',
  exempt: 'exemption rule added',
  'end-exemption': 'exemption rule ended',
  judge: 'deposits evaluated again',
  decimals: 'decimals corrected',
  approve: 'deposit approved',
  hold: 'deposit held',
  release: 'deposit released',
  attribute: 'owner of deposit named',
  restored: 'store restored',
  acknowledge: 'credit acknowledged',
  investigate: 'break investigated',
  resolve: 'break resolved',
  assign: 'break assigned',
  note: 'break noted',
  retry: 'quarantine retried',
  sign: 'day signed',
  'run-now': 'reconciliation run by hand',
  'close-now': 'day closed by hand',
  'create-token': 'token created',
  'rotate-token': 'token rotated',
  'revoke-token': 'token revoked',
  'end-session': 'person signed out',
};

/** Every kind, as the filter lists them. */
export const KINDS = Object.keys(KIND_NAMES) as DecisionKind[];

/** Left out unless a person asks for them: programs make one for each credit and each change. */
const OF_PROGRAMS: readonly DecisionKind[] = ['acknowledge', 'judge'];
export const KINDS_OF_PEOPLE = KINDS.filter((kind) => !OF_PROGRAMS.includes(kind));

/** They say who has tokens and who has signed in. */
export const KINDS_OF_ACCESS: readonly DecisionKind[] = [
  'create-token',
  'rotate-token',
  'revoke-token',
  'end-session',
];

/** What a decision of a kind did, in words, with a link to what it is about. `seq`: its fact. */
type TextOf<Kind extends DecisionKind> = (
  decision: Extract<Decision, { kind: Kind }>,
  seq: number,
) => Child;

const deposit = (id: string): Markup => <Identifier value={id} href={subjectLink('deposit', id)} />;
const breakOf = (id: string): Markup => <Identifier value={id} href={subjectLink('break', id)} />;
const day = (date: string): Markup => <a href={subjectLink('day', date)}>{date}</a>;

const TEXTS: { readonly [Kind in DecisionKind]: TextOf<Kind> } = {
  policy: (_, seq) => (
    <>
      set the policy <a href={`/console/policy/history#pol_${seq}`}>{`pol_${seq}`}</a>
    </>
  ),
  halt: ({ scope }) => `halted ${scopeText(scope)}`,
  resume: ({ scope }) => `resumed ${scopeText(scope)}`,
  exemptions: ({ rules }) => `set ${rules.length} exemption rules`,
  exempt: ({ rule }) => `added the exemption rule ${rule.rule} of ${rule.owner}`,
  'end-exemption': ({ rule }) => `ended the exemption rule ${rule}`,
  judge: ({ depositIds }) => `evaluated ${grouped(depositIds.length)} deposits again`,
  decimals: ({ asset, decimals }) => `corrected the decimals of ${asset} to ${decimals}`,
  approve: ({ depositId }) => <>approved the deposit {deposit(depositId)}</>,
  hold: ({ depositId }) => <>held the deposit {deposit(depositId)}</>,
  release: ({ depositId }) => <>released the deposit {deposit(depositId)}</>,
  attribute: ({ attributedTo, depositId }) => (
    <>
      named {attributedTo} as the owner of the deposit {deposit(depositId)}
    </>
  ),
  restored: () => 'continued from a backup',
  acknowledge: ({ creditId, reference }) => (
    <>
      acknowledged the credit <Identifier value={creditId} /> as {reference}
    </>
  ),
  investigate: ({ breakId }) => <>investigates the break {breakOf(breakId)}</>,
  resolve: ({ breakId }) => <>resolved the break {breakOf(breakId)}</>,
  assign: ({ breakId, assignee }) => (
    <>
      assigned the break {breakOf(breakId)} to {assignee ?? 'nobody'}
    </>
  ),
  note: ({ breakId }) => <>wrote a note on the break {breakOf(breakId)}</>,
  retry: ({ quarantineId }) => (
    <>
      retried the quarantined body <Identifier value={quarantineId} />
    </>
  ),
  sign: ({ day: date, role, reportHash }) => (
    <>
      signed the day {day(date)} as {role}, report <Identifier value={reportHash} />
    </>
  ),
  'run-now': () => 'ran a reconciliation by hand',
  'close-now': ({ day: date }) => <>closed the day {day(date)} by hand</>,
  'create-token': ({ name, role }) => `created the token ${name} with the role ${role}`,
  'rotate-token': ({ name, role }) =>
    `rotated the token ${name}${role === undefined ? '' : `, with the role ${role}`}`,
  'revoke-token': ({ name }) => `revoked the token ${name}`,
  'end-session': ({ name, sessionId }) => (
    <>
      signed {name} out, session <Identifier value={sessionId} />
    </>
  ),
};

/** A decision in a sentence, with a link to what it is about. */
export function DecisionText({ decision, seq }: { decision: Decision; seq: number }): Markup {
  const textOf = TEXTS[decision.kind] as TextOf<DecisionKind>;
  return <>{textOf(decision, seq)}</>;
}

/** Why somebody decided; empty where a kind has no reason. */
export function reasonOf(decision: Decision): string {
  if (decision.kind === 'note') return decision.note;
  if (decision.kind === 'exempt') return decision.rule.reason;
  return 'reason' in decision ? decision.reason : '';
}
