import { approvers, partsOf, type Deposit } from '../../domain/deposit/deposit.ts';
import type { Role } from '../../domain/access/role.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { approvalsNeeded, type PolicyRule } from '../../domain/policy/policy.ts';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { missingRole } from '../parts/missing-role.ts';
import { PATH } from './filter.ts';

/** Decisions of a person about a deposit, as the API names them. */
export const DECISIONS = ['approve', 'attribute', 'release', 'hold'] as const;
export type DepositDecision = (typeof DECISIONS)[number];

/** What the reader may do. `name` and `role` are absent in a public console. */
export interface Allowed {
  readonly decisions: ReadonlySet<DepositDecision>;
  readonly name: string | undefined;
  readonly role: Role | undefined;
}

/** Decisions that can change something now. The API has the last word. */
function offered(deposit: Deposit, rule: PolicyRule): DepositDecision[] {
  const { state, reason, evidence, operatorHold, decimalsChanged, attributedTo } = deposit;
  if (deposit.credit !== null) return [];
  const isOpen = state !== 'internal' && state !== 'rolled_back' && state !== 'reversed';
  const needed = approvalsNeeded(rule, deposit.amount);
  const isForMemo = reason === 'unattributed_memo' || reason === 'memo_required';
  const possible: Record<DepositDecision, boolean> = {
    approve: isOpen && evidence === 'confirmed' && approvers(deposit).size < needed,
    attribute: isForMemo || attributedTo !== null,
    release: operatorHold !== null || decimalsChanged,
    hold: isOpen && operatorHold === null,
  };
  return DECISIONS.filter((decision) => possible[decision]);
}

function approveEffect(deposit: Deposit, rule: PolicyRule): string {
  const needed = approvalsNeeded(rule, deposit.amount);
  const number = approvers(deposit).size + 1;
  const others = 'The custody API must have confirmed it, and no other hold may be left.';
  return number < needed
    ? `Gives approval ${number} of ${needed}. Another person must give the next one.`
    : `Gives approval ${number} of ${needed}: the credit follows at once. ${others}`;
}

function effectOf(decision: DepositDecision, deposit: Deposit, rule: PolicyRule): string {
  switch (decision) {
    case 'approve':
      return approveEffect(deposit, rule);
    case 'attribute':
      return 'Names its owner. The credit follows when the other conditions are met, and goes to this owner. Earlier approvals become void.';
    case 'release':
      return deposit.operatorHold === null
        ? 'Accepts the asset’s decimals for this deposit. The credit follows when the other conditions are met.'
        : 'Ends the hold by a person. The credit follows when the other conditions are met.';
    case 'hold':
      return 'Stops its credit until somebody releases it. The deposit stays in the books.';
    default:
      return decision satisfies never;
  }
}

const LABELS: Record<DepositDecision, string> = {
  approve: 'Approve',
  attribute: 'Name owner',
  release: 'Release',
  hold: 'Hold',
};

/** Why the reader cannot approve: the policy wants another person. Undefined if they can. */
function needsAnother(deposit: Deposit, rule: PolicyRule, name: string): string | undefined {
  const people = approvers(deposit);
  if (people.has(name)) return 'You approved it. The next approval needs another person.';
  const isLast = people.size + 1 >= approvalsNeeded(rule, deposit.amount);
  if (deposit.attributedBy !== name || !isLast) return undefined;
  return 'You named its owner. The last approval needs another person.';
}

/** Why the reader finds no button, where the deposit waits for a person. */
function noButton(deposit: Deposit, rule: PolicyRule, { role }: Allowed): string | null {
  const waits = offered(deposit, rule).some((decision) => decision !== 'hold');
  return deposit.state === 'held' && waits ? missingRole(role) : null;
}

/** The buttons for what the reader may do now; each opens a form that says what will happen. */
export function Actions(props: { deposit: Deposit; rule: PolicyRule; allowed: Allowed }): Markup {
  const { deposit, rule, allowed } = props;
  const { name, decisions } = allowed;
  const shown = offered(deposit, rule).filter((decision) => decisions.has(decision));
  const why = noButton(deposit, rule, allowed);
  const another = name === undefined ? undefined : needsAnother(deposit, rule, name);
  return (
    <div class="decisions">
      {why !== null && <span class="muted">{why}</span>}
      {shown.map((decision) =>
        decision === 'approve' && another !== undefined ? (
          <span class="muted">{another}</span>
        ) : (
          <ConfirmForm
            action={`${PATH}/${deposit.depositId}/${decision}`}
            label={LABELS[decision]}
            effect={effectOf(decision, deposit, rule)}
            hidden={{ basis: versionText(partsOf(deposit)) }}
            danger={decision === 'hold'}
          >
            {decision === 'attribute' && (
              <label class="field">
                <span>Owner, in your own terms</span>
                <input
                  name="attributedTo"
                  required
                  maxlength={256}
                  autocomplete="off"
                  value={deposit.attributedTo ?? ''}
                />
              </label>
            )}
          </ConfirmForm>
        ),
      )}
    </div>
  );
}
