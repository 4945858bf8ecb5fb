import { spellingOf } from '../../chain/network-address.ts';
import type { CustodyTransaction } from '../../fact/custody-record.ts';
import type { Deposit } from '../deposit.ts';

type Addresses = Pick<Deposit, 'networkAddress' | 'reportedAddress'>;

/** The on-chain address to show and to search by: the custody API's, else the reported one. */
export function onChainAddressOf({ networkAddress, reportedAddress }: Addresses): string | null {
  return networkAddress ?? reportedAddress;
}

/** Whether two texts spell the same on-chain address. Other texts must be equal. */
export function isSameAddress(left: string, right: string): boolean {
  return spellingOf(left) === spellingOf(right);
}

/**
 * The addresses of a deposit that its record verifies. The first record that names an on-chain
 * address sets it for ever: an address id never gets another one. A reported address that differs
 * stays, so that people see it.
 */
export function addressesAfter(
  { networkAddress: known, reportedAddress }: Addresses,
  { networkAddress: named }: CustodyTransaction,
): Addresses {
  if (known !== null || named === undefined) return { networkAddress: known, reportedAddress };
  const isSame = reportedAddress !== null && isSameAddress(reportedAddress, named);
  return { networkAddress: named, reportedAddress: isSame ? null : reportedAddress };
}
