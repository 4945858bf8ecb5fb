import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BREAK_TYPES } from '../../../../src/domain/break/break.ts';
import {
  BREAK_EVENTS,
  BREAKS,
  EXEMPT_DIFFERENCES,
  EXEMPTIONS,
} from '../../../../src/store/sqlite/table/rows/break-row.ts';
import {
  CLOSE_SIGNATURES,
  CUSTODY_EFFECTS,
  DAILY_CLOSES,
} from '../../../../src/store/sqlite/table/rows/close-row.ts';
import { DEPOSITS } from '../../../../src/store/sqlite/table/rows/deposit-row.ts';
import { MOVEMENTS } from '../../../../src/store/sqlite/table/rows/movement-row.ts';
import {
  DECIMALS_CORRECTIONS,
  POLICIES,
} from '../../../../src/store/sqlite/table/rows/policy-row.ts';
import { QUARANTINE } from '../../../../src/store/sqlite/table/rows/quarantine-row.ts';
import { RECONCILIATIONS } from '../../../../src/store/sqlite/table/rows/run-row.ts';
import { TOKEN_CHANGES } from '../../../../src/store/sqlite/table/rows/token-row.ts';
import { OWN_HASHES, WITHDRAWALS } from '../../../../src/store/sqlite/table/rows/withdrawal-row.ts';
import { closeOf, closesOf } from '../../close/closing.ts';
import { verifyWith } from '../../evidence.ts';
import { openLedger, OpenLedger } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

/** Tables whose columns a mapping lists; the others have a row interface. */
const MAPPED = [
  DEPOSITS,
  WITHDRAWALS,
  OWN_HASHES,
  MOVEMENTS,
  QUARANTINE,
  CUSTODY_EFFECTS,
  CLOSE_SIGNATURES,
  DAILY_CLOSES,
  BREAKS,
  BREAK_EVENTS,
  EXEMPTIONS,
  EXEMPT_DIFFERENCES,
  RECONCILIATIONS,
  POLICIES,
  DECIMALS_CORRECTIONS,
  TOKEN_CHANGES,
];

const TABLES_FOLDER = new URL('../../../../src/store/sqlite/table/', import.meta.url);

const TABLES_FILES = readdirSync(TABLES_FOLDER)
  .filter((name) => name.endsWith('tables.ts'))
  .map((name) => new URL(name, TABLES_FOLDER));

const SQL_TYPES: Record<string, string> = { TEXT: 'string', INTEGER: 'number', BLOB: 'Uint8Array' };

/** The fields of each table's row interface, from the files that declare them. */
function declaredRows(): Map<string, string[]> {
  const text = TABLES_FILES.map((file) => readFileSync(file, 'utf8')).join('\n');
  const bodyOf = (name: string): string => {
    const found = new RegExp(`interface ${name} \\{\\n([^}]*)\\}`).exec(text);
    if (found?.[1] === undefined) throw new Error(`no file declares ${name}`);
    return found[1];
  };
  const fields = (name: string): string[] =>
    [...bodyOf(name).matchAll(/^ {2}(\w+: [^;]+);$/gm)].map(([, field]) => field ?? '');
  return new Map(
    fields('Tables').flatMap((line) => {
      const [table = '', row = ''] = line.split(': ');
      return MAPPED.some((one) => one.table === table) ? [] : [[table, fields(row)]];
    }),
  );
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly pk: number;
}

function columnsOf(open: OpenLedger, table: string): Column[] {
  return open.db.pragma(`table_info(${table})`) as Column[];
}

/** The columns of each table, as SQLite reads them from the schema. */
function actualRows(): Map<string, string[]> {
  const open = new OpenLedger();
  const tables = open.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return new Map(
    tables.map(({ name }) => {
      const lines = columnsOf(open, name).map(({ name: column, type, notnull, pk }) => {
        // A single TEXT key of a WITHOUT ROWID or STRICT table is NOT NULL without saying so.
        const nullable = notnull === 0 && pk === 0;
        return `${column}: ${SQL_TYPES[type] ?? type}${nullable ? ' | null' : ''}`;
      });
      return [name, lines];
    }),
  );
}

test('the row interfaces have the columns of schema.sql in the same order', () => {
  const actual = actualRows();
  for (const { table } of MAPPED) expect([table, actual.delete(table)]).toEqual([table, true]);
  expect(Object.fromEntries(declaredRows())).toEqual(Object.fromEntries(actual));
});

test.for(MAPPED)('$table has exactly the columns of its mapping', ({ table, columns, key }) => {
  const actual = columnsOf(new OpenLedger(), table);
  const mapped = new Map(columns.map(({ name, type }) => [name, type]));
  expect(mapped.size).toBe(columns.length);
  const types = actual.map(({ name, type, notnull, pk }) => {
    return [name, notnull === 1 || pk > 0 ? `${type} NOT NULL` : type];
  });
  expect(Object.fromEntries(mapped)).toEqual(Object.fromEntries(types));
  const keys = actual.filter(({ pk }) => pk > 0).map(({ name }) => name);
  expect(key.map(({ name }) => name).sort()).toEqual(keys.sort());
});

test('every table is STRICT, and every amount is TEXT', () => {
  const open = new OpenLedger();
  const tables = open.db.pragma('table_list') as { name: string; strict: 0 | 1; type: string }[];
  const ours = tables.filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_'));
  expect(ours.filter(({ strict }) => strict === 0)).toEqual([]);
  for (const [table, columns] of actualRows()) {
    for (const column of columns.filter((line) =>
      /^(\w*amount|books|chain|expected|actual):/.test(line),
    )) {
      expect([table, column]).toEqual([table, expect.stringContaining('string')]);
    }
  }
});

test('every CHECK lists the words of the domain’s type', () => {
  const open = new OpenLedger();
  const [breaks] = open.rows<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE name = 'breaks'",
  );
  const insert = open.db.prepare(
    `INSERT INTO breaks (break_id, type, key, severity, original_severity, state, detail, opened_at, updated_at)
     VALUES (?, ?, ?, 'info', 'info', 'open', '', 0, 0)`,
  );
  for (const type of BREAK_TYPES) insert.run(`brk_${type}`, type, type);
  expect(breaks?.sql).toContain('severity');
});

test('no insert makes SQLite create a temporary table', () => {
  const open = new OpenLedger();
  const rows = actualRows();
  expect(rows.size).toBeGreaterThan(30);
  for (const [table, columns] of rows) {
    const values = columns.map(() => 'NULL').join(', ');
    const steps = open.rows<{ opcode: string }>(`EXPLAIN INSERT INTO ${table} VALUES (${values})`);
    const names = steps.map(({ opcode }) => opcode);
    expect([table, names.includes('Insert') || names.includes('IdxInsert')]).toEqual([table, true]);
    expect([table, names.filter((name) => name === 'OpenEphemeral')]).toEqual([table, []]);
  }
});

describe('append-only tables', () => {
  async function filled(): Promise<OpenLedger> {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    await verifyWith(open);
    await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
    const [close] = closesOf(open);
    const reportHash = close?.report_hash ?? '';
    await open.decide({
      kind: 'sign',
      day: '2025-11-20',
      role: 'preparer',
      reportHash,
      reason: '',
    });
    return open;
  }

  const LEDGER = ['journal', 'seals', 'entries', 'postings', 'credits'];
  const KEPT = [...LEDGER, 'daily_closes', 'daily_totals', 'position_totals', 'close_signatures'];

  test.for(KEPT)('%s refuses UPDATE, DELETE and a replacing INSERT', async (table) => {
    const open = await filled();
    const [column] = open.db.pragma(`table_info(${table})`) as { name: string }[];
    const before = open.rows(`SELECT * FROM ${table}`);
    expect(before.length).toBeGreaterThan(0);
    const name = column?.name ?? '';
    open.db.pragma('foreign_keys = OFF');
    for (const sql of [
      `UPDATE ${table} SET ${name} = ${name}`,
      `DELETE FROM ${table}`,
      `INSERT OR REPLACE INTO ${table} SELECT * FROM ${table}`,
    ]) {
      expect(() => open.db.exec(sql)).toThrow('append-only');
    }
    expect(open.rows(`SELECT * FROM ${table}`)).toEqual(before);
  });

  test('a credit has at most one reversal', async () => {
    const open = await filled();
    const reversal = (id: string) => `INSERT INTO credits
      SELECT feed_seq + 1000 + length('${id}'), seq, '${id}', 'reversal', hash_id, deposit_id, amount,
        credit_id, deposit, created_at FROM credits WHERE kind = 'credit'`;
    open.db.exec(reversal('a'));
    expect(() => open.db.exec(reversal('bb'))).toThrow(
      'UNIQUE constraint failed: credits.reverses',
    );
  });

  test('a key has at most one unresolved break', () => {
    const open = new OpenLedger();
    const sql = (id: string, state: string) =>
      `INSERT INTO breaks (break_id, type, key, severity, original_severity, state, detail, opened_at, updated_at)
       VALUES ('${id}', 'conservation', 'k', 'info', 'info', '${state}', '', 0, 0)`;
    open.db.exec(`${sql('a', 'resolved')}; ${sql('b', 'open')}; ${sql('c', 'resolved')}`);
    expect(() => open.db.exec(sql('d', 'investigating'))).toThrow('UNIQUE constraint failed');
  });
});
