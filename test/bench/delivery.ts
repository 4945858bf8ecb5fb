import { createHash, randomBytes, randomUUID } from 'node:crypto';

const VAULTS = 500;
const ADDRESSES_PER_VAULT = 10;

const ANY_ID = '00000000-0000-0000-0000-000000000001';
const ANY_TRANSACTION_ID = '00000000-0000-0000-0000-000000000002';
const ANY_ORDER_ID = '00000000-0000-0000-0000-000000000003';
const HASH_BYTES = 32;
const ANY_HASH = '0'.repeat(2 * HASH_BYTES);

/** A UUID that is the same in every run, so that stores of two runs hold the same positions. */
function fixedId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function hexOf(name: string, digits: number): string {
  return createHash('sha256').update(name).digest('hex').slice(0, digits);
}

/**
 * The first confirmation of a deposit on Ethereum, as the simulated core tells it (spec, "Incoming
 * stream"), with the custom data that a client keeps on its addresses and accounts.
 */
function template(vault: number, address: number): string {
  const name = `${vault}/${address}`;
  const accountId = fixedId(`account ${vault}/${address % 2}`);
  const addressId = fixedId(`address ${name}`);
  return JSON.stringify({
    id: ANY_ID,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: fixedId(`vault ${vault}`),
    accountId,
    addressId,
    network: 'ethereum',
    blockchainHash: `0x${ANY_HASH}`,
    transactionId: ANY_TRANSACTION_ID,
    orderId: `auto-${ANY_ORDER_ID}`,
    confirmations: 1,
    balanceChanges: [
      {
        asset: 'ethereum:ETH',
        amount: '1250000000000000000',
        amountFormatted: {
          asset: { name: 'Ether', decimals: 18, type: 'native' },
          value: '1.250000000000000000',
        },
        tags: [],
        address: {
          id: addressId,
          networkAddress: `0x${hexOf(name, 40)}`,
          network: 'ethereum',
          hdpath: `m/44'/60'/${vault}'/0/${address}`,
          name: `customer ${name}`,
          data: {
            customerId: fixedId(`customer ${name}`),
            reference: hexOf(`reference ${name}`, 64),
            segment: 'retail',
          },
        },
        account: {
          id: accountId,
          name: 'customer deposits',
          data: { costCentre: 'CC-0417', ledger: '110200', entity: 'Exchange Europe AG' },
        },
      },
    ],
    metadata: {
      blockHeight: 24_100_512,
      blockHash: `0x${hexOf('block', 64)}`,
      from: `0x${hexOf(`sender ${name}`, 40)}`,
      gas: '21000',
      gasPrice: '1000000000',
      fee: '21000000000000',
      nonce: 40_217,
    },
  });
}

/**
 * An endless supply of deliveries, each another notification of another deposit: over 500 vaults
 * and 5,000 addresses in turn, with ids and hashes that are random as the real ones are (ids that
 * grow would make every index cheaper than it is).
 */
export class Deliveries {
  readonly #templates: Buffer[] = [];
  readonly #at: { id: number; hash: number; transactionId: number; orderId: number }[] = [];
  #next = 0;

  constructor() {
    for (let address = 0; address < ADDRESSES_PER_VAULT; address += 1) {
      for (let vault = 0; vault < VAULTS; vault += 1) {
        const text = template(vault, address);
        this.#templates.push(Buffer.from(text, 'latin1'));
        this.#at.push({
          id: text.indexOf(ANY_ID),
          hash: text.indexOf(ANY_HASH),
          transactionId: text.indexOf(ANY_TRANSACTION_ID),
          orderId: text.indexOf(ANY_ORDER_ID),
        });
      }
    }
  }

  next(): Buffer {
    const constant = this.#templates[this.#next];
    const at = this.#at[this.#next];
    if (constant === undefined || at === undefined) throw new Error('no template of this number');
    this.#next = (this.#next + 1) % this.#templates.length;
    const body = Buffer.from(constant);
    body.write(randomUUID(), at.id, 'latin1');
    body.write(randomBytes(HASH_BYTES).toString('hex'), at.hash, 'latin1');
    body.write(randomUUID(), at.transactionId, 'latin1');
    body.write(randomUUID(), at.orderId, 'latin1');
    return body;
  }
}
