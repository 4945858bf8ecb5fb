/** One balance change, as far as a receiver with postings needs it. */
export interface Change {
  readonly asset: string;
  /** Smallest units, an integer as text. */
  readonly amount: string;
  readonly kind: 'transfer' | 'fee';
  readonly accountId: string;
  readonly addressId: string;
}

/** A notification as a hand-written receiver reads it. */
export interface Notice {
  readonly id: string;
  readonly stream: 'outgoing' | 'blockchain' | 'incoming';
  readonly type: string;
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly changes: readonly Change[];
}

const STREAMS = ['outgoing', 'blockchain', 'incoming'] as const;
const TYPES: Record<Notice['stream'], readonly string[]> = {
  outgoing: ['requested', 'inited', 'to-sign', 'signed', 'submitted', 'mined', 'failed'],
  blockchain: ['mempool', 'transaction', 'confirmation', 'rollback'],
  incoming: ['mempool', 'confirmation', 'rollback'],
};
const INTEGER = /^-?[0-9]{1,78}$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textIn(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is not a text`);
  return value;
}

function idIn(value: unknown): string {
  return isObject(value) ? textIn(value, 'id') : '';
}

function changeOf(value: unknown): Change {
  if (!isObject(value)) throw new TypeError('a balance change is not an object');
  const amount = textIn(value, 'amount');
  if (!INTEGER.test(amount)) throw new TypeError('amount is not an integer');
  const tags = value['tags'];
  return {
    asset: textIn(value, 'asset'),
    amount,
    kind: Array.isArray(tags) && tags.includes('fee') ? 'fee' : 'transfer',
    accountId: idIn(value['account']),
    addressId: idIn(value['address']),
  };
}

/** `JSON.parse` and the checks that one writes by hand; throws where a body does not pass them. */
export function noticeOf(text: string): Notice {
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) throw new TypeError('not an object');
  const stream = STREAMS.find((one) => one === body['stream']);
  if (stream === undefined) throw new TypeError('unknown stream');
  const type = textIn(body, 'type');
  if (!TYPES[stream].includes(type)) throw new TypeError('unknown type');
  if (typeof body['timestamp'] !== 'number') throw new TypeError('timestamp is not a number');
  const { confirmations, balanceChanges } = body;
  if (confirmations !== undefined && !Number.isSafeInteger(confirmations)) {
    throw new TypeError('confirmations is not an integer');
  }
  return {
    id: textIn(body, 'id'),
    stream,
    type,
    vaultId: textIn(body, 'vaultId'),
    network: textIn(body, 'network'),
    blockchainHash: textIn(body, 'blockchainHash'),
    changes: Array.isArray(balanceChanges) ? balanceChanges.map(changeOf) : [],
  };
}

/** One line of a balanced entry. */
export interface Posting {
  readonly view: 'books' | 'chain';
  readonly account: string;
  readonly asset: string;
  readonly kind: Change['kind'];
  readonly amount: string;
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** Two lines for each change, in the order in which their accounts are locked everywhere. */
export function postingsOf({ stream, vaultId, changes }: Notice): Posting[] {
  const view = stream === 'blockchain' ? 'chain' : 'books';
  return changes
    .flatMap(({ asset, amount, kind, accountId, addressId }) => {
      const line = { view, asset, kind } as const;
      const contra = kind === 'fee' ? `network-fees:${vaultId}` : `world:${vaultId}`;
      return [
        { ...line, account: `position:${vaultId}:${accountId}:${addressId}`, amount },
        { ...line, account: contra, amount: negated(amount) },
      ];
    })
    .toSorted((one, two) => (one.account < two.account ? -1 : 1));
}
