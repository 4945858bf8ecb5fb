import type { CustodyClient } from '../../custody/client.ts';
import { readList } from '../../custody/list/pages.ts';

const TIME_MS_MAX = 60_000;

/** Longer names are cut: they are only for display, and the report keeps them forever. */
const NAME_CHARACTERS_MAX = 200;

/** Vault names by id, as far as the custody API lists them; undefined when it lists none. */
export async function readVaultNames(
  custody: CustodyClient,
  now: number,
): Promise<Readonly<Record<string, string>> | undefined> {
  const deadlineMs = now + TIME_MS_MAX;
  const list = await readList({
    read: (at) => custody.vaults(at, { priority: 'inactive', deadlineMs }),
    idOf: (vault) => vault.vaultId,
    newestFirst: false,
  });
  const named = [...list.rows].flatMap(([vaultId, { name }]) =>
    typeof name === 'string' && name !== ''
      ? [[vaultId, name.slice(0, NAME_CHARACTERS_MAX)] as const]
      : [],
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
