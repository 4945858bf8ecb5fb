import {
  BALANCE_CHANGE_ROWS,
  CHAIN_STREAM_ROWS,
  DELIVERY_ROWS,
  OUTGOING_ROWS,
  SOURCE_LEVEL_ROWS,
} from './rows/events.ts';
import {
  AUTHENTICATION_ROWS,
  ENDPOINT_ROWS,
  ERROR_ROWS,
  INTERNAL_ERROR_ROWS,
  PERMISSION_ROWS,
  SUBSCRIPTION_ROWS,
} from './rows/operations.ts';
import { ENDING_ROWS, PROGRESS_ROWS, REASON_ROWS } from './rows/progress.ts';
import {
  CONTRACT_ROWS,
  CREATION_ROWS,
  LIMIT_ROWS,
  LIST_ROWS,
  RESOURCE_ROWS,
} from './rows/resources.ts';

/**
 * Every row of every table of the interface specification, and every numbered rule, by the file
 * that tests it: `progress.test.ts` tests `progress`. Rules for consumers (ignore an unknown tag,
 * back off after a 429) are not rows, because the core cannot pass or fail them.
 */
export const ROWS = {
  resources: RESOURCE_ROWS,
  lists: LIST_ROWS,
  creation: CREATION_ROWS,
  limits: LIMIT_ROWS,
  contract: CONTRACT_ROWS,
  progress: PROGRESS_ROWS,
  endings: ENDING_ROWS,
  reasons: REASON_ROWS,
  endpoints: ENDPOINT_ROWS,
  subscriptions: SUBSCRIPTION_ROWS,
  authentication: AUTHENTICATION_ROWS,
  permissions: PERMISSION_ROWS,
  errors: ERROR_ROWS,
  'internal-errors': INTERNAL_ERROR_ROWS,
  delivery: DELIVERY_ROWS,
  outgoing: OUTGOING_ROWS,
  'chain-streams': CHAIN_STREAM_ROWS,
  'balance-changes': BALANCE_CHANGE_ROWS,
  'source-levels': SOURCE_LEVEL_ROWS,
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type Group = keyof typeof ROWS;
export const GROUPS = Object.keys(ROWS) as Group[];

/** `<group>/<row>`, as `progress/mined`. */
export type RowId = { [G in Group]: `${G}/${keyof (typeof ROWS)[G] & string}` }[Group];

export function rowIdsOf(group: Group): RowId[] {
  return Object.keys(ROWS[group]).map((row) => `${group}/${row}` as RowId);
}
