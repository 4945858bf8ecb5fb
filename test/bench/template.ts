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
  | 'reference';

/** Text that stands where the identifier of a role goes. */
export type PlaceOf = (role: Role) => string;

/** What the form leaves in its address's position, in wei; a withdrawal pays its fee besides. */
export const DEPOSIT_WEI = '1250000000000000000';
const WITHDRAWAL_WEI = '-500000000000000000';
const FEE_WEI = '-21000000000000';

function balanceChange(
  placeOf: PlaceOf,
  change: { amount: string; value: string; tags: readonly string[] },
): object {
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
      data: {
        customerId: placeOf('customer'),
        reference: placeOf('reference'),
        segment: 'retail',
      },
    },
    account: {
      id: placeOf('account'),
      name: 'customer deposits',
      data: { costCentre: 'CC-0417', ledger: '110200', entity: 'Exchange Europe AG' },
    },
  };
}

function metadata(placeOf: PlaceOf): object {
  return {
    blockHeight: 24_100_512,
    blockHash: '0x3f07a9c83155594c000642e7d60e8a8a00038d03e9849171a05ed0e2d47acbb3',
    from: `0x${placeOf('counterparty')}`,
    gas: '21000',
    gasPrice: '1000000000',
    fee: '21000000000000',
    nonce: 40_217,
  };
}

function deposited(placeOf: PlaceOf): object[] {
  return [balanceChange(placeOf, { amount: DEPOSIT_WEI, value: '1.250000000000000000', tags: [] })];
}

function withdrawn(placeOf: PlaceOf): object[] {
  return [
    balanceChange(placeOf, { amount: WITHDRAWAL_WEI, value: '-0.500000000000000000', tags: [] }),
    balanceChange(placeOf, { amount: FEE_WEI, value: '-0.000021000000000000', tags: ['fee'] }),
  ];
}

function onChain(placeOf: PlaceOf, changes: object[]): object {
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
    metadata: metadata(placeOf),
  };
}

function outgoing(placeOf: PlaceOf, type: 'submitted' | 'mined'): object {
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
    metadata: metadata(placeOf),
    blockchainHash: `0x${placeOf('hash')}`,
    ...(type === 'mined' ? { balanceChanges: withdrawn(placeOf) } : {}),
  };
}

function incoming(placeOf: PlaceOf): object {
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
    balanceChanges: deposited(placeOf),
    metadata: metadata(placeOf),
  };
}

/**
 * A delivery on Ethereum as the simulated core tells it (spec, "Envelope" and what follows), with
 * the custom data that a client keeps on its addresses and accounts.
 */
export function template(form: Form, placeOf: PlaceOf): object {
  switch (form) {
    case 'deposit':
      return incoming(placeOf);
    case 'deposit-on-chain':
      return onChain(placeOf, deposited(placeOf));
    case 'withdrawal-submitted':
      return outgoing(placeOf, 'submitted');
    case 'withdrawal-mined':
      return outgoing(placeOf, 'mined');
    case 'withdrawal-on-chain':
      return onChain(placeOf, withdrawn(placeOf));
    default:
      return form satisfies never;
  }
}
