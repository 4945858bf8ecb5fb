import type { CustodyClient } from '../custody/client.ts';
import type { RotationCursor } from '../domain/custody.ts';
import { AddressId, VaultId } from '../domain/ids.ts';
import type { AddressPlace, Reads } from '../store/reads.ts';
import { PAGE_SIZE_MAX } from '../wire/page.ts';
import { isOutOfReach } from './out-of-reach.ts';
import type { VaultList } from './watching/vault-list.ts';

/** Addresses of one vault that are remembered as listed; beyond it some are checked twice a round. */
const LISTED_MAX = 200_000;

/** A round takes this long at least: an address in a small set need not be asked every minute. */
const ROUND_MS_MIN = 600_000;

/** What a step may use: requests to list vaults and addresses come from the same room as checks. */
export interface RotationVisit {
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
 * Goes round every address of every vault: those that the API lists, page by page, then those that
 * only the ledger knows, then the next vault. A circle in a fixed order visits the one that was
 * visited longest ago; where it stands is all that must survive a restart.
 */
export class Rotation {
  readonly #reads: Reads;
  readonly #vaults: VaultList;
  /** Undefined until the store was asked. */
  #cursor: RotationCursor | null | undefined;
  #pages: Pages | undefined;
  /** Addresses that the API listed of the vault at hand. */
  #listed = new Set<string>();
  #unlisted: { vaultId: string; ids: readonly AddressId[] } | undefined;
  #roundBeganAt = Number.NEGATIVE_INFINITY;
  #requests = 0;

  constructor(options: { reads: Reads; vaults: VaultList }) {
    this.#reads = options.reads;
    this.#vaults = options.vaults;
  }

  /** Where the round stands: what a run journals. */
  get cursor(): RotationCursor | null {
    return this.#cursor ?? null;
  }

  /** Requests that listing took since this was last asked. */
  takeRequests(): number {
    const taken = this.#requests;
    this.#requests = 0;
    return taken;
  }

  /** The address whose turn it is, and moves on; null when nobody's is, or it cannot be known now. */
  async next(visit: RotationVisit): Promise<AddressPlace | null> {
    if (this.#cursor === undefined) this.#cursor = await this.#reads.rotationCursor();
    const listed = await this.#vaults.read(visit);
    this.#requests += listed.requests;
    const vaults = listed.vaults.toSorted();
    for (let ends = 0; ends <= vaults.length; ends += 1) {
      const vaultId = vaultAt(vaults, this.#cursor);
      if (vaultId === undefined) return null;
      if (this.#cursor === null || this.#cursor.vaultId !== vaultId) {
        if (!this.#begins(vaultId, vaults, visit.now)) return null;
      }
      const addressId = await this.#nextOf(vaultId, visit);
      if (addressId === 'unknown') return null;
      if (addressId !== 'end') return { vaultId: VaultId(vaultId), addressId };
      // The text right behind it: the next vault in order, one that is new by then included.
      this.#cursor = { vaultId: `${vaultId}\u0000`, offset: 0, after: null };
    }
    return null;
  }

  /** Begins a vault; false where that would begin a round too soon. */
  #begins(vaultId: string, vaults: readonly string[], now: number): boolean {
    if (vaultId === vaults[0]) {
      if (now - this.#roundBeganAt < ROUND_MS_MIN) return false;
      this.#roundBeganAt = now;
    }
    this.#cursor = { vaultId, offset: 0, after: null };
    this.#listed = new Set();
    this.#pages = undefined;
    this.#unlisted = undefined;
    return true;
  }

  async #nextOf(vaultId: string, visit: RotationVisit): Promise<AddressId | 'end' | 'unknown'> {
    const cursor = this.#cursor;
    if (cursor === null || cursor === undefined) throw new Error('no vault was begun');
    if (cursor.after === null) {
      const listed = await this.#nextListed(vaultId, { cursor, visit });
      if (listed !== 'end') return listed;
      this.#cursor = { vaultId, offset: cursor.offset, after: '' };
    }
    return this.#nextUnlisted(vaultId);
  }

  async #nextListed(
    vaultId: string,
    { cursor, visit }: { cursor: RotationCursor; visit: RotationVisit },
  ): Promise<AddressId | 'end' | 'unknown'> {
    let { offset } = cursor;
    for (;;) {
      const page = Math.floor(offset / PAGE_SIZE_MAX);
      if (this.#pages?.vaultId !== vaultId || this.#pages.page !== page) {
        const read = await this.#readPage({ vaultId, page }, visit);
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
    { custody, deadlineMs }: RotationVisit,
  ): Promise<'read' | 'end' | 'unknown'> {
    this.#requests += 1;
    const query = { vaultId, page, pageSize: PAGE_SIZE_MAX };
    const answer = await custody.addresses(query, { priority: 'inactive', deadlineMs });
    // What the API refuses to list must not stop the round: the ledger's own are asked for singly.
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

/** The vault of the cursor, else the next one in the circle. */
function vaultAt(
  vaults: readonly string[],
  cursor: RotationCursor | null | undefined,
): string | undefined {
  const from = cursor?.vaultId ?? '';
  return vaults.find((vaultId) => vaultId >= from) ?? vaults[0];
}
