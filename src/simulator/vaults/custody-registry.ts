import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import type { AssetCatalogue } from '../world/asset-catalogue.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import type {
  AccountRecord,
  AccountRequest,
  AddressRecord,
  AddressRequest,
  AddressScope,
  MemoRecord,
  MemoRequest,
  VaultCreation,
  VaultRecord,
  VaultRequest,
} from '../world/vault.ts';
import type { Creation, Refused } from '../world/outcome.ts';
import { refused } from '../world/outcome.ts';
import { isPath, parsePath, unhardened } from './hd-path.ts';
import { KeyRing } from './key-ring.ts';
import { memoObjection } from './memo-check.ts';
import { defaultPath, isSecp256k1 } from './network-address.ts';

/**
 * Vaults, accounts, addresses and memos (the specification, sections "Identifiers and records that
 * appear" and "Idempotent creation").
 */
export class CustodyRegistry {
  readonly keys: KeyRing;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #catalogue: AssetCatalogue;
  readonly #vaults: Table<VaultRecord>;
  readonly #accounts: Table<AccountRecord>;
  readonly #addresses: Table<AddressRecord>;
  readonly #memos: Table<MemoRecord>;
  readonly #accountsByVault: Index<AccountRecord>;
  readonly #accountsByName: Index<AccountRecord>;
  readonly #addressesBy: Index<AddressRecord>;
  readonly #memosBy: Index<MemoRecord>;
  /** Each account's number in its vault: the account level of its HD paths. */
  readonly #accountNumbers: Table<{ number: number }>;

  constructor(options: { state: State; clock: Clock; random: Random; catalogue: AssetCatalogue }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#catalogue = options.catalogue;
    this.keys = new KeyRing(options.state, options.random);
    this.#vaults = options.state.table('vaults');
    this.#accounts = options.state.table('accounts');
    this.#addresses = options.state.table('addresses');
    this.#memos = options.state.table('memos');
    this.#accountNumbers = options.state.table('accountNumbers');
    this.#accountsByVault = this.#accounts.index((row) => [row.vaultId]);
    this.#accountsByName = this.#accounts.index((row) => [`${row.vaultId}|${row.name}`]);
    this.#addressesBy = this.#addresses.index((row) => [
      `vault|${row.vaultId}`,
      `account|${row.accountId}`,
      this.#chainKey(row.network, row.networkAddress),
      `path|${row.vaultId}|${row.network}|${row.hdpath}`,
      `branch|${row.accountId}|${row.network}`,
    ]);
    this.#memosBy = this.#memos.index((row) => [
      `address|${row.addressId}`,
      `memo|${row.addressId}|${row.memo}`,
    ]);
  }

  createVault(request: VaultRequest): VaultCreation {
    const quorum = request.quorum ?? 0;
    const approvers = [...new Set(request.approvers)];
    if (!Number.isInteger(quorum) || quorum < 0 || quorum > approvers.length) {
      return refused('BR-1', `A quorum of ${quorum} needs as many approvers`);
    }
    const masters = request.masterApproval?.approvers;
    if (masters?.length === 0) {
      return refused('BR-1', 'Master approval needs at least one approver');
    }
    const record: VaultRecord = {
      vaultId: this.#random.uuid(),
      name: request.name,
      source: request.source ?? null,
      quorum,
      approvers,
      externalSigner: request.externalSigner ?? false,
      masterApproval: masters === undefined ? null : { approvers: [...new Set(masters)] },
      createdAt: this.#timestamp(),
    };
    this.#vaults.put(record.vaultId, record);
    if (record.externalSigner) {
      const externalSigner = this.keys.createExternalKey(record.vaultId);
      return { kind: 'created', record, externalSigner };
    }
    this.keys.createPlatformKey(record.vaultId);
    return { kind: 'created', record };
  }

  vault(vaultId: string): VaultRecord | undefined {
    return this.#vaults.get(vaultId);
  }

  vaults(): VaultRecord[] {
    return [...this.#vaults.list()];
  }

  createAccount(request: AccountRequest): Creation<AccountRecord> {
    if (!this.#vaults.has(request.vaultId)) {
      return refused('NE-1', `Vault ${request.vaultId} not found`);
    }
    const [existing] = this.#accountsByName.find(`${request.vaultId}|${request.name}`);
    if (existing !== undefined) return { kind: 'existing', record: existing };
    const id = this.#random.uuid();
    const record: AccountRecord = {
      id,
      accountId: id,
      vaultId: request.vaultId,
      name: request.name,
      data: request.data ?? {},
      createdAt: this.#timestamp(),
    };
    this.#accountNumbers.put(id, { number: this.#accountsByVault.count(request.vaultId) });
    this.#accounts.put(id, record);
    return { kind: 'created', record };
  }

  account(accountId: string): AccountRecord | undefined {
    return this.#accounts.get(accountId);
  }

  accounts(scope: { vaultId?: string } = {}): AccountRecord[] {
    return scope.vaultId === undefined
      ? [...this.#accounts.list()]
      : this.#accountsByVault.find(scope.vaultId);
  }

  createAddress(request: AddressRequest): Creation<AddressRecord> {
    const account = this.#accounts.get(request.accountId);
    const vault = this.#vaults.get(account?.vaultId ?? '');
    if (account === undefined || vault === undefined) {
      return refused('NE-1', `Account ${request.accountId} not found`);
    }
    const network = this.#catalogue.network(request.network);
    if (network === undefined) {
      return refused('BR-1001', `Invalid blockchain network ${request.network}`);
    }
    if (vault.externalSigner && !isSecp256k1(network.address.format)) {
      return refused('UE-1', `An external signer cannot hold keys of ${network.key}`);
    }
    const objection = pathObjection(request.hdpath, { vault, network });
    if (objection !== undefined) return objection;
    const hdpath = request.hdpath ?? this.#nextPath(vault, account, network);
    const [holder] = this.#addressesBy.find(`path|${vault.vaultId}|${network.key}|${hdpath}`);
    if (holder !== undefined) {
      return holder.accountId === account.accountId
        ? { kind: 'existing', record: holder }
        : refused('ADR-3001', `HD path ${hdpath} belongs to another account`);
    }
    return { kind: 'created', record: this.#addAddress({ request, account, network, hdpath }) };
  }

  address(addressId: string): AddressRecord | undefined {
    return this.#addresses.get(addressId);
  }

  addresses(scope: AddressScope = {}): AddressRecord[] {
    return this.#addressesInScope(scope).filter(
      (row) =>
        (scope.vaultId === undefined || row.vaultId === scope.vaultId) &&
        (scope.accountId === undefined || row.accountId === scope.accountId) &&
        (scope.network === undefined || row.network === scope.network) &&
        (scope.networkAddress === undefined ||
          this.#chainKey(row.network, row.networkAddress) ===
            this.#chainKey(row.network, scope.networkAddress)),
    );
  }

  /** The custody address with this on-chain address; undefined when no vault owns it. */
  custodyAddress(network: string, networkAddress: string): AddressRecord | undefined {
    return this.#addressesBy.find(this.#chainKey(network, networkAddress))[0];
  }

  /** The stored notation of a custody address; any other address unchanged. */
  canonicalAddress(network: string, networkAddress: string): string {
    return this.custodyAddress(network, networkAddress)?.networkAddress ?? networkAddress;
  }

  createMemo(request: MemoRequest): Creation<MemoRecord> {
    const address = this.#addresses.get(request.addressId);
    if (address === undefined) return refused('NE-1', `Address ${request.addressId} not found`);
    const network = this.#catalogue.network(address.network);
    const objection = network === undefined ? undefined : memoObjection(network, request.memo);
    if (objection !== undefined) return objection;
    const existing = this.memo(request.addressId, request.memo);
    const name = request.name ?? '';
    const data = request.data ?? {};
    if (existing !== undefined) {
      const same =
        (request.name === undefined || existing.name === name) &&
        (request.data === undefined || isDeepStrictEqual(existing.data, data));
      return same
        ? { kind: 'existing', record: existing }
        : refused('MEM-4001', `Memo ${request.memo} exists with other content`);
    }
    const id = this.#random.uuid();
    const record: MemoRecord = {
      id,
      memoId: id,
      addressId: address.addressId,
      accountId: address.accountId,
      vaultId: address.vaultId,
      memo: request.memo,
      name,
      data,
      createdAt: this.#timestamp(),
    };
    this.#memos.put(id, record);
    return { kind: 'created', record };
  }

  /** The registered memo of an address. */
  memo(addressId: string, memo: string): MemoRecord | undefined {
    return this.#memosBy.find(`memo|${addressId}|${memo}`)[0];
  }

  memoById(memoId: string): MemoRecord | undefined {
    return this.#memos.get(memoId);
  }

  memos(scope: { addressId?: string; vaultId?: string } = {}): MemoRecord[] {
    const rows =
      scope.addressId === undefined
        ? [...this.#memos.list()]
        : this.#memosBy.find(`address|${scope.addressId}`);
    return scope.vaultId === undefined ? rows : rows.filter((row) => row.vaultId === scope.vaultId);
  }

  /**
   * Index key of an on-chain address. EVM, bech32 and Sui addresses are the same in upper and lower
   * case.
   */
  #chainKey(network: string, networkAddress: string): string {
    const format = this.#catalogue.network(network)?.address.format;
    const folded =
      format === 'evm' || format === 'p2wpkh' || format === 'sui'
        ? networkAddress.toLowerCase()
        : networkAddress;
    return `chain|${network}|${folded}`;
  }

  #addressesInScope(scope: AddressScope): AddressRecord[] {
    if (scope.accountId !== undefined) return this.#addressesBy.find(`account|${scope.accountId}`);
    if (scope.network !== undefined && scope.networkAddress !== undefined) {
      return this.#addressesBy.find(this.#chainKey(scope.network, scope.networkAddress));
    }
    if (scope.vaultId !== undefined) return this.#addressesBy.find(`vault|${scope.vaultId}`);
    return [...this.#addresses.list()];
  }

  #addAddress(parts: {
    request: AddressRequest;
    account: AccountRecord;
    network: NetworkConfig;
    hdpath: string;
  }): AddressRecord {
    const { request, account, network, hdpath } = parts;
    const id = this.#random.uuid();
    const record: AddressRecord = {
      id,
      addressId: id,
      accountId: account.accountId,
      vaultId: account.vaultId,
      network: network.key,
      networkAddress: this.keys.networkAddress(account.vaultId, network.address, hdpath),
      hdpath,
      name: request.name ?? '',
      data: request.data ?? {},
      createdAt: this.#timestamp(),
    };
    this.#addresses.put(id, record);
    return record;
  }

  /** The account's first free path. A client may have asked for one of the next paths by name. */
  #nextPath(vault: VaultRecord, account: AccountRecord, network: NetworkConfig): string {
    const accountIndex = this.#accountNumbers.get(account.accountId)?.number ?? 0;
    let addressIndex = this.#addressesBy.count(`branch|${account.accountId}|${network.key}`);
    for (;;) {
      const path = defaultPath(network.address, { accountIndex, addressIndex });
      const hdpath = vault.externalSigner ? unhardened(path) : path;
      if (this.#addressesBy.count(`path|${vault.vaultId}|${network.key}|${hdpath}`) === 0) {
        return hdpath;
      }
      addressIndex += 1;
    }
  }

  #timestamp(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function pathObjection(
  hdpath: string | undefined,
  scope: { vault: VaultRecord; network: NetworkConfig },
): Refused | undefined {
  if (hdpath === undefined) return undefined;
  if (!isPath(hdpath)) return refused('BR-1', `Invalid HD path ${hdpath}`);
  const { vault, network } = scope;
  if (vault.externalSigner && hdpath !== unhardened(hdpath)) {
    return refused('BR-1', 'Paths of an external signer must not be hardened');
  }
  // ed25519 derives the same key with and without the hardened mark. One key would have two paths.
  if (network.address.format === 'stellar' && parsePath(hdpath).some((level) => !level.hardened)) {
    return refused('BR-1', `Every level of a ${network.key} path is hardened`);
  }
  return undefined;
}
