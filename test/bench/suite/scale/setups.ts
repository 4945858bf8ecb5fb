export type Kind =
  'counterfoil' | 'express-postgres' | 'fastify-postgres' | 'fastify-postgres-chain';

/** The program between the load and the database, in one row of the table. */
export interface Setup {
  readonly kind: Kind;
  /** Journals, each with its own schema, receivers and traffic; 1 for the other servers. */
  readonly journals: number;
  /** Receivers of each journal; 1 where there are several journals. */
  readonly receivers: number;
  /** Connections of the load to all receivers. */
  readonly connections: number;
  /** Added to each round trip between a receiver and the database, milliseconds. */
  readonly delayMs: number;
}

const CONNECTIONS = 256;

/** What is added to each round trip between a receiver and the database, milliseconds. */
const DELAY_MS = 5;

/** One receiver of one journal, beside which the others are measured. */
export const ALONE: Setup = {
  kind: 'counterfoil',
  journals: 1,
  receivers: 1,
  connections: CONNECTIONS,
  delayMs: 0,
};
/** The same, with a slower link to the database. */
export const FAR: Setup = { ...ALONE, delayMs: DELAY_MS };

/** What one round measures, in this order. */
export const SETUPS: readonly Setup[] = [
  ALONE,
  { ...ALONE, receivers: 2 },
  { ...ALONE, receivers: 4 },
  { ...ALONE, kind: 'express-postgres' },
  { ...ALONE, kind: 'fastify-postgres' },
  { ...ALONE, kind: 'fastify-postgres', receivers: 4 },
  { ...ALONE, kind: 'fastify-postgres-chain' },
  { ...ALONE, kind: 'fastify-postgres-chain', receivers: 2 },
  { ...ALONE, kind: 'fastify-postgres-chain', receivers: 4 },
  FAR,
  { ...FAR, receivers: 2 },
  { ...FAR, receivers: 4 },
  { ...FAR, kind: 'express-postgres' },
  { ...FAR, kind: 'fastify-postgres' },
  // Several journals, each with fewer connections: two cores must suffice.
  { ...ALONE, connections: 64 },
  { ...ALONE, journals: 4 },
  { ...FAR, connections: 4 },
  { ...FAR, journals: 2, connections: 8 },
  { ...FAR, journals: 4, connections: 16 },
];

export function shownSetup({ kind, journals, receivers, connections, delayMs }: Setup): string {
  return `${kind}, ${journals} × ${receivers} receivers, ${connections} connections, ${delayMs} ms added`;
}

export function isSame(one: Setup, other: Setup): boolean {
  return (
    one.kind === other.kind &&
    one.journals === other.journals &&
    one.receivers === other.receivers &&
    one.connections === other.connections &&
    one.delayMs === other.delayMs
  );
}

/** One receiver of one journal, under the load that each journal of a setup has. */
export function aloneOf(setup: Setup): Setup {
  const connections = setup.connections / setup.journals;
  return { ...setup, journals: 1, receivers: 1, connections };
}
