/** The forms of delivery: the webhooks of deposits and withdrawals. */
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

/** Text in the template that the identifier of a role replaces. */
export type IdentifierOf = (role: Role) => string;

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

function addressData(identifierOf: IdentifierOf): object {
  const [customerId, reference] = [identifierOf('customer'), identifierOf('reference')];
  return { customerId, reference, segment: 'retail' };
}

function balanceChange(
  identifierOf: IdentifierOf,
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
      id: identifierOf('address'),
      networkAddress: `0x${identifierOf('networkAddress')}`,
      network: 'ethereum',
      hdpath: "m/44'/60'/0'/0/17",
      name: 'customer deposit address',
      ...(isShared ? { data: addressData(identifierOf) } : {}),
    },
    account: {
      id: identifierOf('account'),
      name: 'customer deposits',
      ...(isShared ? { data: ACCOUNT_DATA } : {}),
    },
  };
}

const SHARED_BLOCK_HASH = '3f07a9c83155594c000642e7d60e8a8a00038d03e9849171a05ed0e2d47acbb3';

function metadata(identifierOf: IdentifierOf, extras: Extras): object {
  const isShared = extras === 'shared';
  return {
    blockHeight: 24_100_512,
    blockHash: `0x${isShared ? SHARED_BLOCK_HASH : identifierOf('block')}`,
    ...(isShared ? {} : { traceId: identifierOf('trace') }),
    from: `0x${identifierOf('counterparty')}`,
    gas: '21000',
    gasPrice: '1000000000',
    fee: '21000000000000',
    nonce: 40_217,
  };
}

function deposited(identifierOf: IdentifierOf, extras: Extras): object[] {
  const amount = { amount: DEPOSIT_WEI, value: '1.250000000000000000', tags: [] };
  return [balanceChange(identifierOf, amount, extras)];
}

function withdrawn(identifierOf: IdentifierOf, extras: Extras): object[] {
  const amount = { amount: WITHDRAWAL_WEI, value: '-0.500000000000000000', tags: [] };
  const fee = { amount: FEE_WEI, value: '-0.000021000000000000', tags: ['fee'] };
  return [balanceChange(identifierOf, amount, extras), balanceChange(identifierOf, fee, extras)];
}

function onChain(identifierOf: IdentifierOf, changes: object[], extras: Extras): object {
  return {
    id: identifierOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'blockchain',
    type: 'transaction',
    vaultId: identifierOf('vault'),
    network: 'ethereum',
    blockchainHash: `0x${identifierOf('hash')}`,
    transactionId: identifierOf('transaction'),
    balanceChanges: changes,
    metadata: metadata(identifierOf, extras),
  };
}

function outgoing(identifierOf: IdentifierOf, type: 'submitted' | 'mined', extras: Extras): object {
  return {
    id: identifierOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'outgoing',
    type,
    vaultId: identifierOf('vault'),
    transactionId: identifierOf('transaction'),
    orderId: identifierOf('order'),
    network: 'ethereum',
    accountId: identifierOf('account'),
    addressId: identifierOf('address'),
    destinationAddress: `0x${identifierOf('counterparty')}`,
    metadata: metadata(identifierOf, extras),
    blockchainHash: `0x${identifierOf('hash')}`,
    ...(type === 'mined' ? { balanceChanges: withdrawn(identifierOf, extras) } : {}),
  };
}

function incoming(identifierOf: IdentifierOf, extras: Extras): object {
  return {
    id: identifierOf('notification'),
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: identifierOf('vault'),
    accountId: identifierOf('account'),
    addressId: identifierOf('address'),
    network: 'ethereum',
    blockchainHash: `0x${identifierOf('hash')}`,
    transactionId: identifierOf('transaction'),
    orderId: `auto-${identifierOf('order')}`,
    confirmations: 1,
    balanceChanges: deposited(identifierOf, extras),
    metadata: metadata(identifierOf, extras),
  };
}

/**
 * A delivery on Ethereum as the simulated core sends it (spec, "Envelope" and what follows), with
 * the custom data that a client keeps on its addresses and accounts.
 */
export function template(form: Form, identifierOf: IdentifierOf, extras: Extras): object {
  switch (form) {
    case 'deposit':
      return incoming(identifierOf, extras);
    case 'deposit-on-chain':
      return onChain(identifierOf, deposited(identifierOf, extras), extras);
    case 'withdrawal-submitted':
      return outgoing(identifierOf, 'submitted', extras);
    case 'withdrawal-mined':
      return outgoing(identifierOf, 'mined', extras);
    case 'withdrawal-on-chain':
      return onChain(identifierOf, withdrawn(identifierOf, extras), extras);
    default:
      return form satisfies never;
  }
}
