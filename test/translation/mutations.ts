import fc from 'fast-check';
import { asSent, bodiesOf, TYPES } from './bodies.ts';

const ENTRY = {
  asset: 'ethereum:ETH',
  amount: '-1',
  amountFormatted: { asset: { name: 'Ether', decimals: 18, type: 'native' }, value: '-0.1' },
  tags: ['fee'],
  address: {
    id: 'adr-1',
    networkAddress: '0xa',
    network: 'ethereum',
    hdpath: 'm',
    name: 'customer',
    data: { any: [1] },
    memo: '7',
  },
  account: { id: 'acc-1', name: 'deposits', data: {} },
  memoInfo: { id: 'mem-1', memo: '7', name: 'seven', data: {} },
};

/** Everything that some notification carries; with a stream and a type it is one of that type. */
const WHOLE = {
  id: 'ntf-1',
  timestamp: 1_763_600_000_000,
  vaultId: 'v1',
  transactionId: 'tx-1',
  orderId: 'order-1',
  network: 'ethereum',
  blockchainHash: '0xa1',
  accountId: 'acc-1',
  addressId: 'adr-1',
  destinationAddress: '0xb',
  memo: '7',
  metadata: { fee: '1' },
  flowId: 'flow-1',
  reasonCode: 'insufficient_balance',
  quorum: 2,
  approvals: [{ clientId: 'c1', decision: 'approve', timestamp: 1 }],
  confirmations: 1,
  reference: 'any',
  balanceChanges: [ENTRY],
};

const TEXTS = ['', ' ', '1', '-1', '+1', '1.0', '1e3', '0x1', '-', '1\n', '٣', '9'.repeat(79)];
const WORDS = ['outgoing', 'incoming', 'staking', 'mined', 'confirmation', 'finalized', 'toString'];
const NUMBERS = [0, -0, 1, -1, 1.5, 255, 256, 2 ** 53, 1e21, Infinity];
const LISTS = [[], [null], [''], ['fee'], [1], [[]], [{}], [ENTRY, null]];
const OBJECTS: readonly unknown[] = [
  {},
  { id: '' },
  { id: 'a' },
  { memo: 'a' },
  { constructor: 'a' },
  { constructor: null },
  { constructor: { prototype: 1 } },
  JSON.parse(`${'{"a":['.repeat(100)}1${']}'.repeat(100)}`),
];
/** Values that one member or another must not take, and some that it may. */
const VALUES = [null, true, ...TEXTS, ...WORDS, ...NUMBERS, ...LISTS, ...OBJECTS];
/** Names that nobody should need to fear. */
const STRANGE_NAMES = ['__proto__', 'constructor', 'toString', 'unknown', '0'];

type Path = readonly string[];

/** Where every member of a value is, and of what is in it. */
function pathsOf(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [key],
    ...pathsOf(member).map((path) => [key, ...path]),
  ]);
}

/** As `JSON.parse` does: `__proto__` becomes a member like any other. */
function put(holder: object, key: string, value: unknown): void {
  const plain = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(holder, key, plain);
}

function drop(holder: object, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

type Change = (holder: object, key: string) => void;

/** What can be done to one member of a body. */
const CHANGES: readonly Change[] = [
  drop,
  ...VALUES.map(
    (value): Change =>
      (holder, key) =>
        put(holder, key, structuredClone(value)),
  ),
  ...STRANGE_NAMES.map((name): Change => (holder, key) => {
    if (Array.isArray(holder)) return;
    put(holder, name, { ...holder });
    drop(holder, key);
  }),
];

/** A copy of a body with one member changed; the body itself if it has none at the path. */
function changed(body: object, path: Path, change: Change): object {
  const copy = structuredClone(body);
  let holder: object = copy;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Object.entries(holder).find(([each]) => each === key)?.[1];
    if (typeof inner !== 'object' || inner === null) return body;
    holder = inner;
  }
  change(holder, path.at(-1) ?? '');
  return copy;
}

/** Bodies of a type that carry everything, with one member changed: each member, in each way. */
export function* changedBodies([stream, type]: (typeof TYPES)[number]): Generator<object> {
  const body = asSent({ ...WHOLE, stream, type });
  for (const path of pathsOf(body)) {
    for (const change of CHANGES) yield changed(body, path, change);
  }
}

/** Bodies of any type that carry anything, with a few members changed. */
export const muchChangedBodies: fc.Arbitrary<object> = fc
  .tuple(
    fc.constantFrom(...TYPES).chain(([stream, type]) => bodiesOf(stream, type)),
    fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...CHANGES)), { minLength: 1, maxLength: 3 }),
  )
  .map(([body, changes]) =>
    changes.reduce<object>((now, [at, change]) => {
      const paths = pathsOf(now);
      return changed(now, paths[at % paths.length] ?? [], change);
    }, body),
  );
