import type { Decision } from '../../domain/fact/decision.ts';
import { scopeText } from '../../domain/policy/halt.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';

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

function Deposit({ id }: { id: string }): Markup {
  return <Identifier value={id} href={`/console/deposits/${id}`} />;
}

function Break({ id }: { id: string }): Markup {
  return <Identifier value={id} href={`/console/breaks/${id}`} />;
}

/** A decision in a sentence, with a link to what it is about. */
export function DecisionText({ decision, seq }: { decision: Decision; seq: number }): Markup {
  switch (decision.kind) {
    case 'policy':
      return (
        <>
          set the policy <a href={`/console/policy/history#pol_${seq}`}>{`pol_${seq}`}</a>
        </>
      );
    case 'halt':
      return <>{`halted ${scopeText(decision.scope)}`}</>;
    case 'resume':
      return <>{`resumed ${scopeText(decision.scope)}`}</>;
    case 'exemptions':
      return <>{`set ${decision.rules.length} exemption rules`}</>;
    case 'judge':
      return <>{`evaluated ${grouped(String(decision.depositIds.length))} deposits again`}</>;
    case 'decimals':
      return <>{`corrected the decimals of ${decision.asset} to ${decision.decimals}`}</>;
    case 'approve':
      return (
        <>
          approved the deposit <Deposit id={decision.depositId} />
        </>
      );
    case 'hold':
      return (
        <>
          held the deposit <Deposit id={decision.depositId} />
        </>
      );
    case 'release':
      return (
        <>
          released the deposit <Deposit id={decision.depositId} />
        </>
      );
    case 'attribute':
      return (
        <>
          {`named ${decision.attributedTo} as the owner of the deposit `}
          <Deposit id={decision.depositId} />
        </>
      );
    case 'exempt':
    case 'end-exemption':
    case 'restored':
    case 'acknowledge':
    case 'investigate':
    case 'resolve':
    case 'assign':
    case 'note':
    case 'retry':
    case 'sign':
    case 'run-now':
    case 'close-now':
    case 'create-token':
    case 'rotate-token':
    case 'revoke-token':
    case 'end-session':
      return <RareText decision={decision} />;
    default:
      return decision satisfies never;
  }
}

type Rare = Exclude<
  Decision,
  {
    kind:
      | 'policy'
      | 'halt'
      | 'resume'
      | 'exemptions'
      | 'judge'
      | 'decimals'
      | 'approve'
      | 'hold'
      | 'release'
      | 'attribute';
  }
>;

/** Decisions about closed days and runs. */
function DayText({
  decision,
}: {
  decision: Extract<Decision, { kind: 'sign' | 'run-now' | 'close-now' }>;
}): Markup {
  switch (decision.kind) {
    case 'sign':
      return (
        <>
          signed the day <a href={`/console/close/${decision.day}`}>{decision.day}</a>
          {` as ${decision.role}, report `}
          <Identifier value={decision.reportHash} />
        </>
      );
    case 'run-now':
      return <>ran a reconciliation by hand</>;
    case 'close-now':
      return (
        <>
          closed the day <a href={`/console/close/${decision.day}`}>{decision.day}</a> by hand
        </>
      );
    default:
      return decision satisfies never;
  }
}

/** Decisions about tokens and sessions. */
function AccessText({
  decision,
}: {
  decision: Extract<
    Decision,
    { kind: 'create-token' | 'rotate-token' | 'revoke-token' | 'end-session' }
  >;
}): Markup {
  switch (decision.kind) {
    case 'create-token':
      return <>{`created the token ${decision.name} with the role ${decision.role}`}</>;
    case 'rotate-token':
      return (
        <>
          {`rotated the token ${decision.name}`}
          {decision.role === undefined ? '' : `, with the role ${decision.role}`}
        </>
      );
    case 'revoke-token':
      return <>{`revoked the token ${decision.name}`}</>;
    case 'end-session':
      return (
        <>
          {`signed ${decision.name} out, session `}
          <Identifier value={decision.sessionId} />
        </>
      );
    default:
      return decision satisfies never;
  }
}

/** Decisions about credits, breaks, exemption rules, tokens, sessions, the quarantine, runs and closed days. */
function RareText({ decision }: { decision: Rare }): Markup {
  switch (decision.kind) {
    case 'exempt':
      return <>{`added the exemption rule ${decision.rule.rule} of ${decision.rule.owner}`}</>;
    case 'end-exemption':
      return <>{`ended the exemption rule ${decision.rule}`}</>;
    case 'restored':
      return <>continued from a backup</>;
    case 'acknowledge':
      return (
        <>
          acknowledged the credit <Identifier value={decision.creditId} />
          {` as ${decision.reference}`}
        </>
      );
    case 'investigate':
      return (
        <>
          investigates the break <Break id={decision.breakId} />
        </>
      );
    case 'resolve':
      return (
        <>
          resolved the break <Break id={decision.breakId} />
        </>
      );
    case 'assign':
      return (
        <>
          assigned the break <Break id={decision.breakId} />
          {` to ${decision.assignee ?? 'nobody'}`}
        </>
      );
    case 'note':
      return (
        <>
          wrote a note on the break <Break id={decision.breakId} />
        </>
      );
    case 'retry':
      return (
        <>
          retried the quarantined body <Identifier value={decision.quarantineId} />
        </>
      );
    case 'sign':
    case 'run-now':
    case 'close-now':
      return <DayText decision={decision} />;
    case 'create-token':
    case 'rotate-token':
    case 'revoke-token':
    case 'end-session':
      return <AccessText decision={decision} />;
    default:
      return decision satisfies never;
  }
}

/** Why somebody decided; empty where a kind has no reason. */
export function reasonOf(decision: Decision): string {
  if (decision.kind === 'note') return decision.note;
  if (decision.kind === 'exempt') return decision.rule.reason;
  return 'reason' in decision ? decision.reason : '';
}
