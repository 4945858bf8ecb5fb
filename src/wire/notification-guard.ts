import { isBalanceChange } from './balance-change-guard.ts';
import {
  areAll,
  isCount,
  isCountOrMissing,
  isIdentifier,
  isIdentifierOrMissing,
  isJsonObject,
  isMissing,
  isObjectOrMissing,
  isTextOrMissing,
  type JsonObject,
} from './json-guard.ts';
import type { Notification } from './notification.ts';

function isOutgoing(body: JsonObject): boolean {
  const { network, blockchainHash, reasonCode } = body;
  const fits =
    isIdentifier(body['transactionId']) &&
    isTextOrMissing(body['orderId']) &&
    isTextOrMissing(network) &&
    isIdentifierOrMissing(body['accountId']) &&
    isIdentifierOrMissing(body['addressId']) &&
    isTextOrMissing(body['destinationAddress']) &&
    isTextOrMissing(body['memo']) &&
    isObjectOrMissing(body['metadata']) &&
    isTextOrMissing(body['flowId']) &&
    isIdentifierOrMissing(blockchainHash) &&
    isTextOrMissing(reasonCode);
  if (!fits) return false;
  switch (body['type']) {
    case 'approval-pending':
    case 'approved':
    case 'pending':
    case 'requested':
    case 'inited':
    case 'to-sign':
    case 'signed':
    case 'failed':
    case 'rolledback':
    case 'replaced':
      return true;
    case 'submitted':
      return isIdentifier(network) && isIdentifier(blockchainHash);
    case 'mined':
      return (
        isIdentifier(network) &&
        isIdentifier(blockchainHash) &&
        areAll(body['balanceChanges'], isBalanceChange)
      );
    case 'warning':
    case 'cancelled':
      return isIdentifier(reasonCode);
    default:
      return false;
  }
}

function isBlockchain(body: JsonObject): boolean {
  const { confirmations, balanceChanges } = body;
  const fits =
    isIdentifier(body['network']) &&
    isIdentifier(body['blockchainHash']) &&
    isIdentifierOrMissing(body['transactionId']) &&
    isObjectOrMissing(body['metadata']) &&
    isCountOrMissing(confirmations);
  if (!fits) return false;
  switch (body['type']) {
    case 'transaction':
      return areAll(balanceChanges, isBalanceChange);
    case 'mempool':
      return isMissing(balanceChanges) || areAll(balanceChanges, isBalanceChange);
    case 'confirmation':
      return isCount(confirmations);
    case 'rollback':
      return true;
    default:
      return false;
  }
}

function isIncoming(body: JsonObject): boolean {
  const { confirmations, balanceChanges } = body;
  const fits =
    isIdentifier(body['network']) &&
    isIdentifier(body['blockchainHash']) &&
    isIdentifierOrMissing(body['accountId']) &&
    isIdentifierOrMissing(body['addressId']) &&
    isIdentifierOrMissing(body['transactionId']) &&
    isTextOrMissing(body['orderId']) &&
    isTextOrMissing(body['memo']) &&
    isObjectOrMissing(body['metadata']) &&
    isCountOrMissing(confirmations) &&
    (isMissing(balanceChanges) || areAll(balanceChanges, isBalanceChange));
  if (!fits) return false;
  switch (body['type']) {
    case 'confirmation':
      return isCount(confirmations);
    case 'mempool':
    case 'rollback':
      return true;
    default:
      return false;
  }
}

/**
 * Whether `JSON.parse` gave what the schema `notification` accepts: yes exactly when that does. The
 * schema is the definition, and says what is wrong where this only says no; this is what every
 * delivery can afford.
 */
export function isNotification(value: unknown): value is Notification {
  if (!isJsonObject(value)) return false;
  const { id, timestamp, vaultId, stream } = value;
  if (!isIdentifier(id) || !isIdentifier(vaultId) || !Number.isFinite(timestamp)) return false;
  switch (stream) {
    case 'outgoing':
      return isOutgoing(value);
    case 'blockchain':
      return isBlockchain(value);
    case 'incoming':
      return isIncoming(value);
    default:
      return false;
  }
}
