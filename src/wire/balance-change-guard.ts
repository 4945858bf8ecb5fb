import { AMOUNT, DECIMALS_MAX, type BalanceChange } from './balance-change.ts';
import {
  areAll,
  isCount,
  isIdentifier,
  isJsonObject,
  isMissing,
  isText,
  isTextOrMissing,
  isObjectOrMissing,
} from './json-guard.ts';

function isAmountFormatted(value: unknown): boolean {
  if (!isJsonObject(value) || !isText(value['value'])) return false;
  const { asset } = value;
  return (
    isJsonObject(asset) &&
    isText(asset['name']) &&
    isCount(asset['decimals']) &&
    asset['decimals'] <= DECIMALS_MAX &&
    (asset['type'] === undefined || isText(asset['type']))
  );
}

function isChangeAddress(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isIdentifier(value['id']) &&
    isTextOrMissing(value['networkAddress']) &&
    isTextOrMissing(value['network']) &&
    isTextOrMissing(value['hdpath']) &&
    isTextOrMissing(value['name']) &&
    isObjectOrMissing(value['data']) &&
    isTextOrMissing(value['memo'])
  );
}

function isChangeAccount(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isIdentifier(value['id']) &&
    isTextOrMissing(value['name']) &&
    isObjectOrMissing(value['data'])
  );
}

/** Whether `JSON.parse` gave what the schema `balanceChange` accepts: yes exactly when that does. */
export function isBalanceChange(value: unknown): value is BalanceChange {
  if (!isJsonObject(value)) return false;
  const { amount, amountFormatted, tags, address, account } = value;
  return (
    isIdentifier(value['asset']) &&
    isText(amount) &&
    AMOUNT.test(amount) &&
    (isMissing(amountFormatted) || isAmountFormatted(amountFormatted)) &&
    (isMissing(tags) || areAll(tags, isText)) &&
    (isMissing(address) || isChangeAddress(address)) &&
    (isMissing(account) || isChangeAccount(account))
  );
}
