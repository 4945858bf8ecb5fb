import type { CustodyClient } from '../../custody/client.ts';
import type { RotationCursor } from '../../domain/fact/custody-record.ts';
import { AddressId, VaultId } from '../../domain/ids.ts';
import type { VaultAddress } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { PAGE_SIZE_MAX } from '../../wire/page.ts';
import { isOutOfReach } from '../pacing/outcome-kind.ts';
import type { VaultList } from '../watching/vault-list.ts';

/** Most listed addresses remembered per vault; beyond this some are checked twice a round. */
const LISTED_MAX = 200_000;

/** Shortest duration of a round: a small set of addresses is not checked every minute. */
const ROUND_MS_MIN = 600_000;

/** Limits of one step. Requests that list vaults and addresses count against the same budget. */
export interface RotationContext {
  readonly custody: CustodyClient;
  readonly now: number;
  readonly deadlineMs: number;
}

interface Pages {
  readonly vaultId: string;
  readonly page: number;
  readonly ids: readonly string[];
  readonly isLast: boolean;
}

/**
 * Visits every address of every vault in a fixed order: first the addresses that the API lists, page
 * by page, then addresses that only the ledger knows, then the next vault. Only the cursor must
 * survive a restart.
 */
export class Rotation {
  readonly #reads: Reads;
  readonly #vaults: VaultList;
  /** Undefined until it was read from the store. */
  #cursor: RotationCursor | null | undefined;
  #pages: Pages | undefined;
  /** Addresses of the current vault that the API listed. */
  #listed = new Set<string>();
  #unlisted: { vaultId: string; ids: readonly AddressId[] } | undefined;
  #roundBeganAt = Number.NEGATIVE_INFINITY;
  #requests = 0;

  constructor(options: { reads: Reads; vaults: VaultList }) {
    this.#reads = options.reads;
    this.#vaults = options.vaults;
  }

  /** The cursor of the round, which a run journals. */
  get cursor(): RotationCursor | null {
    return this.#cursor ?? null;
  }

  /** Requests used for listing since the last call. */
  takeRequests(): number {
    const taken = this.#requests;
    this.#requests = 0;
    return taken;
  }

  /** Returns the next address and advances; null when none is due or the API cannot be read now. */
  async next(context: RotationContext): Promise<VaultAddress | null> {
    if (this.#cursor === undefined) this.#cursor = await this.#reads.rotationCursor();
    const listed = await this.#vaults.read(context);
    this.#requests += listed.requests;
    const vaults = listed.vaults.toSorted();
    for (let ends = 0; ends <= vaults.length; ends += 1) {
      const vaultId = vaultAt(vaults, this.#cursor);
      if (vaultId === undefined) return null;
      if (this.#cursor === null || this.#cursor.vaultId !== vaultId) {
        if (!this.#begins(vaultId, vaults, context.now)) return null;
      }
      const addressId = await this.#nextOf(vaultId, context);
      if (addressId === 'unknown') return null;
      if (addressId !== 'end') return { vaultId: VaultId(vaultId), addressId };
      // The smallest text after this vault id: the next vault in order, new vaults included.
      this.#cursor = { vaultId: `${vaultId}\u0000`, offset: 0, after: null };
    }
    return null;
  }

  /** Starts a vault; false when a new round would start too early. */
  #begins(vaultId: string, vaults: readonly string[], now: number): boolean {
    if (vaultId === vaults[0]) {
      // A clock that was set back counts as expired: a round must not wait until it is right again.
      if (Math.abs(now - this.#roundBeganAt) < ROUND_MS_MIN) return false;
      this.#roundBeganAt = now;
    }
    this.#cursor = { vaultId, offset: 0, after: null };
    this.#listed = new Set();
    this.#pages = undefined;
    this.#unlisted = undefined;
    return true;
  }

  async #nextOf(vaultId: string, context: RotationContext): Promise<AddressId | 'end' | 'unknown'> {
    const cursor = this.#cursor;
    if (cursor === null || cursor === undefined) throw new Error('no vault was begun');
    if (cursor.after === null) {
      const listed = await this.#nextListed(vaultId, { cursor, context });
      if (listed !== 'end') return listed;
      this.#cursor = { vaultId, offset: cursor.offset, after: '' };
    }
    return this.#nextUnlisted(vaultId);
  }

  async #nextListed(
    vaultId: string,
    { cursor, context }: { cursor: RotationCursor; context: RotationContext },
  ): Promise<AddressId | 'end' | 'unknown'> {
    let { offset } = cursor;
    for (;;) {
      const page = Math.floor(offset / PAGE_SIZE_MAX);
      if (this.#pages?.vaultId !== vaultId || this.#pages.page !== page) {
        const read = await this.#readPage({ vaultId, page }, context);
        if (read !== 'read') return read;
      }
      const pages = this.#pages;
      if (pages === undefined) throw new Error('a page was read and is not there');
      const addressId = pages.ids[offset % PAGE_SIZE_MAX];
      if (addressId !== undefined) {
        this.#cursor = { vaultId, offset: offset + 1, after: null };
        return AddressId(addressId);
      }
      if (pages.isLast) return 'end';
      offset = (page + 1) * PAGE_SIZE_MAX;
    }
  }

  async #readPage(
    { vaultId, page }: { vaultId: string; page: number },
    { custody, deadlineMs }: RotationContext,
  ): Promise<'read' | 'end' | 'unknown'> {
    this.#requests += 1;
    const query = { vaultId, page, pageSize: PAGE_SIZE_MAX };
    const answer = await custody.addresses(query, { priority: 'inactive', deadlineMs });
    // A vault that the API does not list must not stop the round: use the ledger's addresses.
    if (answer.kind !== 'ok') return isOutOfReach(answer.kind) ? 'unknown' : 'end';
    const { rows, total, pageSize } = answer.value;
    const ids = rows.map((row) => row.addressId);
    const isLast = pageSize !== PAGE_SIZE_MAX || (page + 1) * PAGE_SIZE_MAX >= total;
    this.#pages = { vaultId, page, ids, isLast };
    for (const id of ids) if (this.#listed.size < LISTED_MAX) this.#listed.add(id);
    return 'read';
  }

  async #nextUnlisted(vaultId: string): Promise<AddressId | 'end'> {
    for (;;) {
      const cursor = this.#cursor;
      if (cursor === null || cursor === undefined) throw new Error('no vault was begun');
      const after = cursor.after ?? '';
      const ids = await this.#unlistedAfter(vaultId, after);
      const addressId = ids.find((id) => id > after);
      if (addressId === undefined) return 'end';
      this.#cursor = { ...cursor, after: addressId };
      if (!this.#listed.has(addressId)) return addressId;
    }
  }

  async #unlistedAfter(vaultId: string, after: string): Promise<readonly AddressId[]> {
    const known = this.#unlisted;
    if (known?.vaultId === vaultId && known.ids.some((id) => id > after)) return known.ids;
    const query = { vaultId: VaultId(vaultId), after, limit: PAGE_SIZE_MAX };
    const ids = await this.#reads.addressesOf(query);
    this.#unlisted = { vaultId, ids };
    return ids;
  }
}

/** The vault at the cursor, otherwise the next vault in order. */
function vaultAt(
  vaults: readonly string[],
  cursor: RotationCursor | null | undefined,
): string | undefined {
  const from = cursor?.vaultId ?? '';
  return vaults.find((vaultId) => vaultId >= from) ?? vaults[0];
}
