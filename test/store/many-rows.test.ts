import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ManyRows } from '../../src/store/sqlite/statement.ts';

function table(): { db: Sqlite.Database; rows: ManyRows<[number, string | null]> } {
  const db = new Sqlite(':memory:');
  db.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY CHECK (number <> 20), name TEXT)');
  const rows = new ManyRows<[number, string | null]>(db, {
    into: 'INSERT INTO numbers (number, name)',
    columns: 2,
  });
  return { db, rows };
}

test.for([0, 1, 3, 4, 5, 15, 16, 17, 19])('%i rows are all there, each once and whole', (count) => {
  const { db, rows } = table();
  const given = Array.from({ length: count }, (_, at): [number, string | null] => [
    at,
    at % 3 === 0 ? null : `name ${at}`,
  ]);
  rows.insert(given);
  expect(db.prepare('SELECT number, name FROM numbers ORDER BY number').raw().all()).toEqual(given);
});

test('a row that the table refuses takes its whole transaction with it, and nothing waits for the next', () => {
  const { db, rows } = table();
  const upTo = (count: number): [number, null][] =>
    Array.from({ length: count }, (_, at) => [at, null]);
  expect(() => db.transaction(() => rows.insert(upTo(40)))()).toThrow('CHECK');
  db.transaction(() => rows.insert(upTo(2)))();
  expect(db.prepare('SELECT number FROM numbers').pluck().all()).toEqual([0, 1]);
});
