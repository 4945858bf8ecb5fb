import { eventOf, EVENTS } from './delivery.ts';

/**
 * Lines that a double-entry ledger posts when it takes a delivery for the first time: a deposit has
 * two, a withdrawal with its fee four, in the books and in the chain view.
 */
export function postingsOf(delivery: number): number {
  switch (eventOf(delivery)) {
    case EVENTS.firstConfirmation:
    case EVENTS.depositOnChain:
      return 2;
    case EVENTS.withdrawalMined:
    case EVENTS.withdrawalOnChain:
      return 4;
    default:
      return 0;
  }
}
