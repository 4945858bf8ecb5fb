import { createServer, type RequestListener } from 'node:http';
import type { ServerType } from '@hono/node-server';
import { answerTo, KEPT_PATH, type BaselineServer, type Kept } from './baseline.ts';
import { requireInstalled } from './installed.ts';
import { noticeOf, postingsOf, type Notice, type Posting } from './notice.ts';
import { connectPostgres, startPostgres, type Client, type Pool } from './postgres.ts';

const POOL_CONNECTIONS = 20;

const TABLES = `
  CREATE TABLE IF NOT EXISTS notifications (
    id text PRIMARY KEY, vault_id text NOT NULL, stream text NOT NULL, type text NOT NULL,
    network text NOT NULL, blockchain_hash text NOT NULL, body text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS postings (
    network text NOT NULL, blockchain_hash text NOT NULL, view text NOT NULL, account text NOT NULL,
    asset text NOT NULL, kind text NOT NULL, amount numeric NOT NULL,
    notification_id text NOT NULL REFERENCES notifications,
    PRIMARY KEY (blockchain_hash, network, view, account, asset, kind));
  CREATE TABLE IF NOT EXISTS balances (
    view text NOT NULL, account text NOT NULL, asset text NOT NULL, amount numeric NOT NULL,
    PRIMARY KEY (account, view, asset));
  CREATE TABLE IF NOT EXISTS chain (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    length bigint NOT NULL DEFAULT 0, head bytea NOT NULL DEFAULT '');
  INSERT INTO chain DEFAULT VALUES ON CONFLICT DO NOTHING`;

const INSERT_NOTIFICATION = `
  INSERT INTO notifications (id, vault_id, stream, type, network, blockchain_hash, body)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** A later confirmation states the same amounts again: they are posted once. */
const INSERT_POSTING = `
  INSERT INTO postings (network, blockchain_hash, view, account, asset, kind, amount, notification_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING 1`;

const ADD_TO_BALANCE = `
  INSERT INTO balances (view, account, asset, amount) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account, view, asset) DO UPDATE SET amount = balances.amount + excluded.amount`;

/** Everything in one round trip. Rows are locked in the order of their accounts, as everywhere. */
const PARTS = `
  WITH taken AS (${INSERT_NOTIFICATION}),
  posted AS (
    INSERT INTO postings (network, blockchain_hash, view, account, asset, kind, amount, notification_id)
    SELECT $5, $6, $8, line.account, line.asset, line.kind, line.amount, taken.id
    FROM taken, unnest($9::text[], $10::text[], $11::text[], $12::numeric[])
      AS line (account, asset, kind, amount)
    ORDER BY line.account
    ON CONFLICT DO NOTHING RETURNING view, account, asset, amount),
  booked AS (
    INSERT INTO balances (view, account, asset, amount)
    SELECT view, account, asset, sum(amount) FROM posted GROUP BY view, account, asset
    ORDER BY account
    ON CONFLICT (account, view, asset) DO UPDATE SET amount = balances.amount + excluded.amount`;
const TAKE = `${PARTS}) SELECT count(*) AS taken FROM taken`;

/** The same, and one hash chain over all notifications: its row is locked last, until the commit. */
const TAKE_CHAINED = `${PARTS} RETURNING 1),
  chained AS (
    UPDATE chain SET length = length + 1, head = sha256(head || convert_to($7, 'UTF8'))
    FROM (SELECT count(*) FROM booked) AS last WHERE EXISTS (SELECT FROM taken))
  SELECT count(*) AS taken FROM taken`;

function rowOf(notice: Notice, text: string): readonly string[] {
  const { id, vaultId, stream, type, network, blockchainHash } = notice;
  return [id, vaultId, stream, type, network, blockchainHash, text];
}

async function post(client: Client, notice: Notice, line: Posting): Promise<void> {
  const { network, blockchainHash, id } = notice;
  const { view, account, asset, kind, amount } = line;
  const { rows } = await client.query({
    name: 'post',
    text: INSERT_POSTING,
    values: [network, blockchainHash, view, account, asset, kind, amount, id],
  });
  if (rows.length === 0) return;
  await client.query({ name: 'add', text: ADD_TO_BALANCE, values: [view, account, asset, amount] });
}

/** One transaction, a statement for each row, as it is written with an ORM or by hand. */
async function takeRowByRow(pool: Pool, text: string): Promise<boolean> {
  const notice = noticeOf(text);
  const client = await pool.connect();
  try {
    await client.query({ text: 'BEGIN' });
    const values = rowOf(notice, text);
    const taken = await client.query({ name: 'take', text: INSERT_NOTIFICATION, values });
    const isNew = taken.rows.length === 1;
    if (isNew) for (const line of postingsOf(notice)) await post(client, notice, line);
    await client.query({ text: 'COMMIT' });
    return isNew;
  } catch (error) {
    await client.query({ text: 'ROLLBACK' });
    throw error;
  } finally {
    client.release();
  }
}

async function takeInOneStatement(pool: Pool, statement: string, text: string): Promise<boolean> {
  const notice = noticeOf(text);
  const lines = postingsOf(notice);
  const { rows } = await pool.query({
    name: 'take',
    text: statement,
    values: [
      ...rowOf(notice, text),
      lines[0]?.view ?? 'books',
      lines.map((line) => line.account),
      lines.map((line) => line.asset),
      lines.map((line) => line.kind),
      lines.map((line) => line.amount),
    ],
  });
  return Number(rows[0]?.['taken']) === 1;
}

async function keptIn(pool: Pool): Promise<Kept> {
  const numberOf = async (sql: string): Promise<number> =>
    Number((await pool.query({ text: `SELECT (${sql}) AS n` })).rows[0]?.['n']);
  const unbalanced = await numberOf(
    'SELECT count(*) FROM (SELECT notification_id FROM postings GROUP BY 1 HAVING sum(amount) <> 0) AS u',
  );
  const wrong = await numberOf(`
    SELECT count(*) FROM balances AS b WHERE amount <> (SELECT sum(amount) FROM postings AS p
      WHERE (p.account, p.view, p.asset) = (b.account, b.view, b.asset))`);
  return {
    notifications: await numberOf('SELECT count(*) FROM notifications'),
    defects: [
      ...(unbalanced === 0 ? [] : [`${unbalanced} entries do not sum to zero`]),
      ...(wrong === 0 ? [] : [`${wrong} balances are not the sum of their postings`]),
    ],
  };
}

interface ExpressResponse {
  json(value: unknown): void;
}

type ExpressHandler = (
  request: { body: string },
  response: ExpressResponse,
  next: (error: unknown) => void,
) => void;

interface ExpressLike {
  (request: unknown, response: unknown): void;
  use(handler: unknown): void;
  post(path: string, handler: ExpressHandler): void;
  get(path: string, handler: ExpressHandler): void;
}

/** A PostgreSQL of its own below a folder, or the one at an address `postgres://…`. */
async function startPool(where: string): Promise<{ pool: Pool; stop: () => Promise<void> }> {
  const started = where.startsWith('postgres://')
    ? await connectPostgres(where, POOL_CONNECTIONS)
    : await startPostgres(where, POOL_CONNECTIONS);
  await started.pool.query({ text: TABLES });
  return started;
}

/** What many would write first with Express and `pg`. */
async function expressPostgres(where: string): Promise<BaselineServer> {
  const { pool, stop } = await startPool(where);
  const express = requireInstalled('express') as (() => ExpressLike) & {
    text(options: { type: string }): unknown;
  };
  const app = express();
  app.use(express.text({ type: 'application/json' }));
  app.post('/hooks/:token', ({ body }, response, next) => {
    takeRowByRow(pool, body).then((isNew) => response.json(answerTo(isNew)), next);
  });
  app.get(KEPT_PATH, (_, response, next) => {
    keptIn(pool).then((kept) => response.json(kept), next);
  });
  return { server: createServer(app as RequestListener), close: stop };
}

interface FastifyLike {
  readonly server: ServerType;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string' },
    parse: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): void;
  post(path: string, handler: (request: { body: string }) => Promise<unknown>): void;
  get(path: string, handler: () => Promise<unknown>): void;
  ready(): Promise<unknown>;
}

/** What who counts round trips writes: Fastify, and one statement for everything. */
async function fastifyPostgres(where: string, statement: string): Promise<BaselineServer> {
  const { pool, stop } = await startPool(where);
  const fastify = requireInstalled('fastify') as () => FastifyLike;
  const app = fastify();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) =>
    done(null, body),
  );
  app.post('/hooks/:token', async ({ body }) =>
    answerTo(await takeInOneStatement(pool, statement, body)),
  );
  app.get(KEPT_PATH, () => keptIn(pool));
  await app.ready();
  return { server: app.server, close: stop };
}

/** Receivers that keep books in PostgreSQL; test/bench/package.json names what they need. */
export const POSTGRES_BASELINES = {
  'express-postgres': expressPostgres,
  'fastify-postgres': (where: string) => fastifyPostgres(where, TAKE),
  'fastify-postgres-chain': (where: string) => fastifyPostgres(where, TAKE_CHAINED),
} as const;
