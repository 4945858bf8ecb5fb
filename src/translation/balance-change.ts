import { parseAmount, ZERO } from '../domain/money/amount.ts';
import { AccountId, AddressId, AssetId, Memo } from '../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../domain/fact/notification.ts';
import { DECIMALS_MAX } from '../wire/amount.ts';
import type { BalanceChange as WireChange } from '../wire/balance-change.ts';
import { attributedMemo } from '../wire/memo-info.ts';
import { isJsonObject, JsonReader, type JsonObject } from './json-reader.ts';

/** Brands an optional text. Absent, null and empty texts count as absent. */
export function optional<Id>(
  brand: (value: string) => Id,
  value: string | null | undefined,
): Id | null {
  return value === undefined || value === null || value === '' ? null : brand(value);
}

/** Tags that determine the kind, by precedence; without them a change is a transfer. */
const KIND_TAGS = ['fee', 'rebate', 'mint', 'change'] as const;

export interface Scope {
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
}

const NO_SCOPE: Scope = { accountId: null, addressId: null };

function kindOf(reader: JsonReader, entry: JsonObject): ChangeKind {
  const tags = reader.optionalList(entry, 'tags');
  if (tags === null || tags.length === 0) return 'transfer';
  reader.enter('tags');
  for (let index = 0; index < tags.length && !reader.isFull; index += 1) {
    if (typeof tags[index] !== 'string') reader.note('must be a text', index);
  }
  reader.leave();
  if (reader.isFull) return 'transfer';
  return KIND_TAGS.find((tag) => tags.includes(tag)) ?? 'transfer';
}

function decimalsOf(reader: JsonReader, entry: JsonObject): number | null {
  const formatted = reader.optionalObject(entry, 'amountFormatted');
  if (formatted === null) return null;
  reader.enter('amountFormatted');
  const asset = reader.object(formatted, 'asset');
  const decimals = asset && assetDecimalsOf(reader, asset);
  reader.text(formatted, 'value');
  reader.leave();
  return decimals;
}

function assetDecimalsOf(reader: JsonReader, asset: JsonObject): number {
  reader.enter('asset');
  reader.text(asset, 'name');
  const decimals = reader.count(asset, 'decimals', DECIMALS_MAX);
  reader.optionalText(asset, 'type');
  reader.leave();
  return decimals;
}

function addressIdOf(reader: JsonReader, entry: JsonObject): AddressId | null {
  const address = reader.optionalObject(entry, 'address');
  if (address === null) return null;
  reader.enter('address');
  const id = AddressId(reader.identifier(address, 'id'));
  reader.optionalText(address, 'networkAddress');
  reader.optionalText(address, 'network');
  reader.optionalText(address, 'hdpath');
  reader.optionalText(address, 'name');
  reader.optionalObject(address, 'data');
  reader.optionalText(address, 'memo');
  reader.leave();
  return id;
}

function accountIdOf(reader: JsonReader, entry: JsonObject): AccountId | null {
  const account = reader.optionalObject(entry, 'account');
  if (account === null) return null;
  reader.enter('account');
  const id = AccountId(reader.identifier(account, 'id'));
  reader.optionalText(account, 'name');
  reader.optionalObject(account, 'data');
  reader.leave();
  return id;
}

function amountOf(reader: JsonReader, entry: JsonObject): BalanceChange['amount'] {
  const text = entry['amount'];
  const amount = typeof text === 'string' ? parseAmount(text) : undefined;
  if (amount !== undefined) return amount;
  reader.note('must be an integer in the smallest unit as text, of at most 78 digits', 'amount');
  return ZERO;
}

/**
 * A balance change in domain terms (spec, "Balance change entry"). Its position comes from its own
 * `address` and `account`, else from `scope` (the notification's own, on `incoming`).
 */
function changeOf(reader: JsonReader, entry: JsonObject, scope: Scope): BalanceChange {
  const asset = AssetId(reader.identifier(entry, 'asset'));
  const amount = amountOf(reader, entry);
  const decimals = decimalsOf(reader, entry);
  const kind = kindOf(reader, entry);
  const addressId = addressIdOf(reader, entry);
  const accountId = accountIdOf(reader, entry);
  return {
    asset,
    amount,
    kind,
    accountId: accountId ?? scope.accountId,
    addressId: addressId ?? scope.addressId,
    memo: optional(Memo, attributedMemo(entry['memoInfo'])),
    decimals,
  };
}

/**
 * Reads the entries of a list; behind the third flaw nobody looks at the rest. Amounts are in
 * smallest units (the specification, section "Balance change entry"). Flaws go to the reader; with
 * flaws the result must not be used.
 */
export function readChanges(
  reader: JsonReader,
  list: readonly unknown[],
  scope: Scope = NO_SCOPE,
): BalanceChange[] {
  const changes: BalanceChange[] = [];
  for (let index = 0; index < list.length && !reader.isFull; index += 1) {
    const entry = list[index];
    reader.enter(index);
    if (isJsonObject(entry)) changes.push(changeOf(reader, entry, scope));
    else reader.note('must be an object');
    reader.leave();
  }
  return changes;
}

/**
 * Reads balance changes that passed their schema; null for a missing list. Amounts are in smallest
 * units (the specification, section "Balance change entry"). Throws when they are invalid
 * nonetheless.
 */
export function changesOf(
  list: readonly WireChange[] | null | undefined,
  scope?: Scope,
): readonly BalanceChange[] | null {
  if (list === null || list === undefined) return null;
  const reader = new JsonReader();
  const changes = readChanges(reader, list, scope);
  const [flaw] = reader.flaws;
  if (flaw === undefined) return changes;
  throw new Error(`balance changes passed the schema: ${flaw.path.join('.')} ${flaw.message}`);
}
