import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from '../domain/ids.ts';
import { networkAddressOf } from '../domain/chain/network-address.ts';
import type {
  BalanceChange,
  ChainNotification,
  IncomingNotification,
  Notification,
  OutgoingNotification,
} from '../domain/fact/notification.ts';
import { OUTGOING_TYPES, STREAMS } from '../wire/event-names.ts';
import { attributedMemo } from '../wire/memo-info.ts';
import { optional, readChanges, type Scope } from './balance-change.ts';
import { isJsonObject, JsonReader, type Flaw, type JsonObject } from './json-reader.ts';

const INCOMING_TYPES = ['mempool', 'confirmation', 'rollback'] as const;
const CHAIN_TYPES = ['transaction', 'mempool', 'confirmation', 'rollback'] as const;

/** Reads the members of every notification (spec, "Envelope"). */
function readEnvelope(reader: JsonReader, body: JsonObject) {
  const id = NotificationId(reader.identifier(body, 'id'));
  reader.finiteNumber(body, 'timestamp');
  return { id, vaultId: VaultId(reader.identifier(body, 'vaultId')) };
}

/** Reads the hash that an `incoming` or `blockchain` notification concerns. */
function readHash(reader: JsonReader, body: JsonObject) {
  const network = NetworkKey(reader.identifier(body, 'network'));
  return { network, blockchainHash: BlockchainHash(reader.identifier(body, 'blockchainHash')) };
}

function readConfirmations(reader: JsonReader, body: JsonObject, type: string): number | null {
  return type === 'confirmation'
    ? reader.count(body, 'confirmations')
    : reader.optionalCount(body, 'confirmations');
}

function changesIn(
  reader: JsonReader,
  list: readonly unknown[] | null,
  scope?: Scope,
): BalanceChange[] | null {
  if (list === null) return null;
  reader.enter('balanceChanges');
  const changes = readChanges(reader, list, scope);
  reader.leave();
  return changes;
}

/** The id of an entry's account or address. */
function idIn(owner: unknown): string | null {
  const id = isJsonObject(owner) ? owner['id'] : null;
  return typeof id === 'string' ? id : null;
}

/** The on-chain address of the receiving address, from the first entry on it. */
function networkAddressIn(list: readonly unknown[] | null, addressId: AddressId | null) {
  if (list === null || addressId === null) return null;
  for (const entry of list) {
    const address = isJsonObject(entry) ? entry['address'] : null;
    if (!isJsonObject(address) || address['id'] !== addressId) continue;
    const networkAddress = address['networkAddress'];
    return networkAddressOf(typeof networkAddress === 'string' ? networkAddress : null);
  }
  return null;
}

/**
 * Spec, "Incoming stream". The notification names the receiving position; otherwise its first entry
 * does.
 */
function readIncoming(reader: JsonReader, body: JsonObject): IncomingNotification | null {
  const type = reader.oneOf(body, 'type', INCOMING_TYPES);
  if (type === null) return null;
  const { id, vaultId } = readEnvelope(reader, body);
  const { network, blockchainHash } = readHash(reader, body);
  const accountId = reader.optionalIdentifier(body, 'accountId');
  const addressId = reader.optionalIdentifier(body, 'addressId');
  const transactionId = reader.optionalIdentifier(body, 'transactionId');
  reader.optionalText(body, 'orderId');
  const memo = reader.optionalText(body, 'memo');
  reader.optionalObject(body, 'metadata');
  const list = reader.optionalList(body, 'balanceChanges');
  const first = isJsonObject(list?.[0]) ? list[0] : {};
  const scope: Scope = {
    accountId: optional(AccountId, accountId ?? idIn(first['account'])),
    addressId: optional(AddressId, addressId ?? idIn(first['address'])),
  };
  const changes = changesIn(reader, list, scope);
  return {
    stream: 'incoming',
    type,
    id,
    vaultId,
    network,
    blockchainHash,
    accountId: scope.accountId,
    addressId: scope.addressId,
    networkAddress: networkAddressIn(list, scope.addressId),
    memo: optional(Memo, memo) ?? optional(Memo, attributedMemo(first['memoInfo'])),
    transactionId: optional(TransactionId, transactionId),
    confirmations: readConfirmations(reader, body, type),
    changes,
  };
}

/**
 * Spec, "Outgoing stream". Accepts anything as `quorum` and `approvals`, because the spec does not
 * show their shape. A failure during processing has no hash. Only `mined` has changes.
 */
function readOutgoing(reader: JsonReader, body: JsonObject): OutgoingNotification | null {
  const type = reader.oneOf(body, 'type', OUTGOING_TYPES);
  if (type === null) return null;
  const isOnChain = type === 'submitted' || type === 'mined';
  const hasReason = type === 'warning' || type === 'cancelled';
  const { id, vaultId } = readEnvelope(reader, body);
  const transactionId = TransactionId(reader.identifier(body, 'transactionId'));
  const orderId = reader.optionalText(body, 'orderId');
  const network = isOnChain
    ? reader.identifier(body, 'network')
    : reader.optionalText(body, 'network');
  const accountId = reader.optionalIdentifier(body, 'accountId');
  const addressId = reader.optionalIdentifier(body, 'addressId');
  const destinationAddress = reader.optionalText(body, 'destinationAddress');
  const memo = reader.optionalText(body, 'memo');
  reader.optionalObject(body, 'metadata');
  reader.optionalText(body, 'flowId');
  const blockchainHash = isOnChain
    ? reader.identifier(body, 'blockchainHash')
    : reader.optionalIdentifier(body, 'blockchainHash');
  const reasonCode = hasReason
    ? reader.identifier(body, 'reasonCode')
    : reader.optionalText(body, 'reasonCode');
  const list = type === 'mined' ? reader.list(body, 'balanceChanges') : null;
  return {
    stream: 'outgoing',
    type,
    id,
    vaultId,
    transactionId,
    orderId,
    network: optional(NetworkKey, network),
    blockchainHash: optional(BlockchainHash, blockchainHash),
    accountId: optional(AccountId, accountId),
    addressId: optional(AddressId, addressId),
    destinationAddress,
    memo: optional(Memo, memo),
    reasonCode,
    changes: changesIn(reader, list),
  };
}

/**
 * The changes of a `blockchain` notification: required for `transaction`, optional for `mempool`.
 */
function chainChanges(
  reader: JsonReader,
  body: JsonObject,
  type: ChainNotification['type'],
): readonly unknown[] | null {
  if (type === 'transaction') return reader.list(body, 'balanceChanges');
  return type === 'mempool' ? reader.optionalList(body, 'balanceChanges') : null;
}

/** Spec, "Blockchain stream". */
function readChain(reader: JsonReader, body: JsonObject): ChainNotification | null {
  const type = reader.oneOf(body, 'type', CHAIN_TYPES);
  if (type === null) return null;
  const { id, vaultId } = readEnvelope(reader, body);
  const { network, blockchainHash } = readHash(reader, body);
  const transactionId = reader.optionalIdentifier(body, 'transactionId');
  reader.optionalObject(body, 'metadata');
  const confirmations = readConfirmations(reader, body, type);
  return {
    stream: 'blockchain',
    type,
    id,
    vaultId,
    network,
    blockchainHash,
    transactionId: optional(TransactionId, transactionId),
    confirmations,
    changes: changesIn(reader, chainChanges(reader, body, type)),
  };
}

function readBody(reader: JsonReader, body: JsonObject): Notification | null {
  const stream = reader.oneOf(body, 'stream', STREAMS);
  switch (stream) {
    case 'incoming':
      return readIncoming(reader, body);
    case 'outgoing':
      return readOutgoing(reader, body);
    case 'blockchain':
      return readChain(reader, body);
    case null:
      return null;
    default:
      return stream satisfies never;
  }
}

/** The notification of a body, or the body's first flaws. */
export type ReadNotification =
  { readonly notification: Notification } | { readonly flaws: readonly Flaw[] };

/**
 * Reads a notification from parsed JSON (spec, "Events"). Ignores unknown members. The zod schema
 * `notification` is the definition: this reader accepts the same bodies and names the same flaws,
 * in a tenth of the time. Returns at most `FLAWS_MAX` flaws and throws nothing. Amounts are in
 * smallest units.
 */
export function readNotification(body: JsonObject): ReadNotification {
  const reader = new JsonReader();
  const notification = readBody(reader, body);
  return notification === null || reader.flaws.length > 0
    ? { flaws: reader.flaws }
    : { notification };
}
