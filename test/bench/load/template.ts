/** The forms of delivery: what the custody service tells of deposits and withdrawals. */
export const FORMS = [
  'deposit',
  'deposit-on-chain',
  'withdrawal-submitted',
  'withdrawal-mined',
  'withdrawal-on-chain',
] as const;
export type Form = (typeof FORMS)[number];

/** Identifiers in a delivery, by what they name. */
export type Role =
  | 'notification'
  | 'hash'
  | 'transaction'
  | 'order'
  | 'counterparty'
  | 'vault'
  | 'account'
  | 'address'
  | 'networkAddress'
  | 'customer'
  | 'reference'
  | 'block'
  | 'trace';

/** Text that stands where the identifier of a role goes. */
export type PlaceOf = (role: Role) => string;

/**
 * What bodies carry beside what is booked. `shared`: custom data of address and account, and metadata
 * that deliveries have in common. `own`: metadata that no other delivery has, and no custom data.
 */
export type Extras = 'shared' | 'own';

/** What the form leaves in its address's position, in wei; a withdrawal pays its fee besides. */
export const DEPOSIT_WEI = '1250000000000000000';
const WITHDRAWAL_WEI = '-500000000000000000';
const FEE_WEI = '-21000000000000';

const ACCOUNT_DATA = { costCentre: 'CC-0417', ledger: '110200', entity: 'Exchange Europe AG' };

function addressData(placeOf: PlaceOf): object {
  const [customerId, reference] = [placeOf('customer'), placeOf('reference')];
  return { customerId, reference, segment: 'retail' };
}

function balanceChange(
  placeOf: PlaceOf,
  change: { amount: string; value: string; tags: readonly string[] },
  extras: Extras,
): object {
  const isShared = extras === 'shared';
  return {
    asset: 'ethereum:ETH',
    amount: change.amount,
    amountFormatted: {
      asset: { name: 'Ether', decimals: 18, type: 'native' },
      value: change.value,
    },
    tags: change.tags,
    address: {
      id: placeOf('address'),
      networkAddress: `0x${placeOf('networkAddress')}`,
      network: 'ethereum',
      hdpath: "m/44'/60'/0'/0/17",
      name: 'customer deposit address',
      ...(isShared ? { data: addressData(placeOf) } : {}),
    },
    account: {
      id: placeOf('account'),
      name: 'customer deposits',
      ...(isShared ? { data: ACCOUNT_DATA } : {}),
    },
  };
}

const SHARED_BLOCK_HASH = '3f07a9c83155594c000642e7d60e8a8a00038d03e9849171a05ed0e2d47acbb3';

function metadata(placeOf: PlaceOf, extras: Extras): object {
  const isShared = extras === 'shared';
  return {
    blockHeight: 24_100_512,
    blockHash: `0x${isShared ? SHARED_BLOCK_HASH : placeOf('block')}`,
    ...(isShared ? {} : { traceId: placeOf('trace') }),
    from: `0x${placeOf('counterparty')}`,
    gas: '21000',
    gasPrice: '1000000000',
    fee: '21000000000000',
    nonce: 40_217,
  };
}

function deposited(placeOf: PlaceOf, extras: Extras): object[] {
  const amount = { amount: DEPOSIT_WEI, value: '1.250000000000000000', tags: [] };
  return [balanceChange(placeOf, amount, extras)];
}

function withdrawn(placeOf: PlaceOf, extras: Extras): object[] {
  const amount = { amount: WITHDRAWAL_WEI, value: '-0.500000000000000000', tags: [] };
  const fee = { amount: FEE_WEI, value: '-0.000021000000000000', tags: ['fee'] };
  return [balanceChange(placeOf, amount, extras), balanceChange(placeOf, fee, extras)];
}

function onChain(placeOf: PlaceOf, changes: object[], extras: Extras): object {
  return {
    id: placeOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'blockchain',
    type: 'transaction',
    vaultId: placeOf('vault'),
    network: 'ethereum',
    blockchainHash: `0x${placeOf('hash')}`,
    transactionId: placeOf('transaction'),
    balanceChanges: changes,
    metadata: metadata(placeOf, extras),
  };
}

function outgoing(placeOf: PlaceOf, type: 'submitted' | 'mined', extras: Extras): object {
  return {
    id: placeOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'outgoing',
    type,
    vaultId: placeOf('vault'),
    transactionId: placeOf('transaction'),
    orderId: placeOf('order'),
    network: 'ethereum',
    accountId: placeOf('account'),
    addressId: placeOf('address'),
    destinationAddress: `0x${placeOf('counterparty')}`,
    metadata: metadata(placeOf, extras),
    blockchainHash: `0x${placeOf('hash')}`,
    ...(type === 'mined' ? { balanceChanges: withdrawn(placeOf, extras) } : {}),
  };
}

function incoming(placeOf: PlaceOf, extras: Extras): object {
  return {
    id: placeOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: placeOf('vault'),
    accountId: placeOf('account'),
    addressId: placeOf('address'),
    network: 'ethereum',
    blockchainHash: `0x${placeOf('hash')}`,
    transactionId: placeOf('transaction'),
    orderId: `auto-${placeOf('order')}`,
    confirmations: 1,
    balanceChanges: deposited(placeOf, extras),
    metadata: metadata(placeOf, extras),
  };
}

/**
 * A delivery on Ethereum as the simulated core tells it (spec, "Envelope" and what follows), with
 * the custom data that a client keeps on its addresses and accounts.
 */
export function template(form: Form, placeOf: PlaceOf, extras: Extras): object {
  switch (form) {
    case 'deposit':
      return incoming(placeOf, extras);
    case 'deposit-on-chain':
      return onChain(placeOf, deposited(placeOf, extras), extras);
    case 'withdrawal-submitted':
      return outgoing(placeOf, 'submitted', extras);
    case 'withdrawal-mined':
      return outgoing(placeOf, 'mined', extras);
    case 'withdrawal-on-chain':
      return onChain(placeOf, withdrawn(placeOf, extras), extras);
    default:
      return form satisfies never;
  }
}
