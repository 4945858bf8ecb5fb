import type { JournalRow } from '../records.ts';

const decoder = new TextDecoder();

/** Longer names are cut: a webhook is unsigned, and names are for reading. */
const NAME_CHARACTERS_MAX = 200;

interface Named {
  readonly id?: unknown;
  readonly name?: unknown;
}

function put(names: Map<string, string>, named: Named | null | undefined): void {
  const { id, name } = named ?? {};
  if (typeof id !== 'string' || typeof name !== 'string' || name === '') return;
  names.set(id, name.slice(0, NAME_CHARACTERS_MAX));
}

/** Names of accounts and addresses by id, as the balance changes of a notification name them. */
export function accountNamesOf({ kind, body }: JournalRow): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (kind !== 'notification') return names;
  const { balanceChanges } = JSON.parse(decoder.decode(body)) as { balanceChanges?: unknown };
  if (!Array.isArray(balanceChanges)) return names;
  for (const change of balanceChanges as readonly { account?: Named; address?: Named }[]) {
    put(names, change.account);
    put(names, change.address);
  }
  return names;
}
