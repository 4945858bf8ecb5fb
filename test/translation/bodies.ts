import fc from 'fast-check';
import { z } from 'zod';
import { OUTGOING_TYPES, type Stream } from '../../src/wire/event-names.ts';

/** Every stream with its types. */
export const TYPES: readonly (readonly [stream: Stream, type: string])[] = [
  ...OUTGOING_TYPES.map((type) => ['outgoing', type] as const),
  ...(['transaction', 'mempool', 'confirmation', 'rollback'] as const).map(
    (type) => ['blockchain', type] as const,
  ),
  ...(['mempool', 'confirmation', 'rollback'] as const).map((type) => ['incoming', type] as const),
];

const text = fc.oneof(fc.string(), fc.constantFrom('', ' ', 'constructor', '😀', 'ethereum'));
const identifier = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }));
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const count = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 12, Number.MAX_SAFE_INTEGER));
const amount = fc.oneof(
  fc.bigInt().map(String),
  fc.constantFrom('0', '-0', '007', '-'.padEnd(79, '9'), '9'.repeat(78)),
);
const data = nullable(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })));

const amountFormatted = fc.record(
  {
    asset: fc.record(
      { name: text, decimals: fc.nat(255), type: nullable(text) },
      { requiredKeys: ['name', 'decimals'] },
    ),
    value: text,
  },
  { requiredKeys: ['asset', 'value'] },
);
const address = fc.record(
  {
    id: identifier,
    networkAddress: nullable(text),
    network: nullable(text),
    hdpath: nullable(text),
    name: nullable(text),
    data,
    memo: nullable(text),
  },
  { requiredKeys: ['id'] },
);
const account = fc.record({ id: identifier, name: nullable(text), data }, { requiredKeys: ['id'] });
const memoInfo = fc.oneof(
  fc.record({ id: nullable(text), memo: identifier, name: nullable(text), data }),
  fc.jsonValue({ maxDepth: 2 }),
);
const tags = fc.array(
  fc.oneof(fc.constantFrom('fee', 'rebate', 'mint', 'change', 'erc20', 'contract'), text),
  { maxLength: 3 },
);
const balanceChanges = fc.array(
  fc.record(
    {
      asset: identifier,
      amount,
      amountFormatted: nullable(amountFormatted),
      tags: nullable(tags),
      address: nullable(address),
      account: nullable(account),
      memoInfo: nullable(memoInfo),
    },
    { requiredKeys: ['asset', 'amount'] },
  ),
  { maxLength: 3 },
);
const OPTIONAL: Record<Stream, Record<string, fc.Arbitrary<unknown>>> = {
  outgoing: {
    orderId: nullable(text),
    network: nullable(text),
    accountId: nullable(identifier),
    addressId: nullable(identifier),
    destinationAddress: nullable(text),
    memo: nullable(text),
    metadata: data,
    flowId: nullable(text),
    blockchainHash: nullable(identifier),
    reasonCode: nullable(text),
    quorum: fc.jsonValue({ maxDepth: 1 }),
    approvals: fc.jsonValue({ maxDepth: 2 }),
  },
  blockchain: { transactionId: nullable(identifier), metadata: data, confirmations: count },
  incoming: {
    accountId: nullable(identifier),
    addressId: nullable(identifier),
    transactionId: nullable(identifier),
    orderId: nullable(text),
    memo: nullable(text),
    reference: fc.jsonValue({ maxDepth: 1 }),
    metadata: data,
    confirmations: count,
    balanceChanges: nullable(balanceChanges),
  },
};

/** What a type of a stream cannot do without, beyond what its stream cannot. */
function neededBy(stream: Stream, type: string): Record<string, fc.Arbitrary<unknown>> {
  const hash = { network: identifier, blockchainHash: identifier };
  if (stream === 'outgoing') {
    return {
      transactionId: identifier,
      ...(type === 'submitted' || type === 'mined' ? hash : {}),
      ...(type === 'mined' ? { balanceChanges } : {}),
      ...(type === 'warning' || type === 'cancelled' ? { reasonCode: identifier } : {}),
    };
  }
  return {
    ...hash,
    ...(type === 'confirmation' ? { confirmations: count } : {}),
    ...(type === 'transaction' ? { balanceChanges } : {}),
  };
}

/** A value as it arrives: what `JSON.parse` gives of its text. */
export function asSent(body: object): Record<string, unknown> {
  const value: unknown = JSON.parse(JSON.stringify(body));
  return z.record(z.string(), z.unknown()).parse(value);
}

/** Valid bodies of one type, as `JSON.parse` gives them. */
export function bodiesOf(stream: Stream, type: string): fc.Arbitrary<Record<string, unknown>> {
  const needed: Record<string, fc.Arbitrary<unknown>> = {
    id: identifier,
    timestamp: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat()),
    vaultId: identifier,
    ...neededBy(stream, type),
  };
  return fc
    .record({ ...OPTIONAL[stream], ...needed }, { requiredKeys: Object.keys(needed) })
    .map((body) => asSent({ ...body, stream, type }));
}
