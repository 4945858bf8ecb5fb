import type { DepositState } from '../../../domain/deposit/deposit.ts';

/** States in the order in which a deposit passes them; exits last. */
export const DEPOSIT_STATES = [
  ['detected', 'detected'],
  ['confirming', 'confirming'],
  ['verifying', 'verifying'],
  ['credited', 'credited'],
  ['settled', 'settled'],
  ['internal', 'internal'],
  ['held', 'held'],
  ['rolled_back', 'rolled back'],
  ['reversed', 'reversed'],
] as const satisfies readonly (readonly [DepositState, string])[];

const NAMES = new Map<DepositState, string>(DEPOSIT_STATES);

/** A state's name for people. */
export function stateName(state: DepositState): string {
  return NAMES.get(state) ?? state;
}
