import type { TokenChangeRow } from '../../../records.ts';
import { plain, word } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

/** The columns of `token_changes`. */
export const TOKEN_CHANGES = mappingOf<TokenChangeRow>()({
  table: 'token_changes',
  key: ['seq'],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    name: column('name', plain('TEXT NOT NULL')),
    role: column('role', word<TokenChangeRow['role']>()),
    sha256: column('sha256', plain('TEXT')),
    actor: column('actor', plain('TEXT NOT NULL')),
    reason: column('reason', plain('TEXT NOT NULL')),
    changedAt: column('changed_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `token_changes`. */
export type TokenChangeTableRow = RowIn<typeof TOKEN_CHANGES>;

/** Reads a change of a token from its row. */
export const tokenChangeOf = TOKEN_CHANGES.read;
