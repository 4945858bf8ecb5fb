import { expect, test } from 'vitest';
import { openLedger } from '../open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../webhook.ts';

const LOST = 'Connection terminated unexpectedly';

test.for([
  ['withdrawals', (service: Service) => service.outgoing('submitted')],
  [
    'assets',
    (service: Service) => service.confirmed(6, { balanceChanges: [change('5', AT_ADDRESS)] }),
  ],
] as const)(
  'a notification is not quarantined when the store fails while it reads %s',
  async ([table, bodyOf]) => {
    const open = await openLedger();
    const length = open.journalLength();
    // A store of another kind: its error has no code of SQLite's.
    open.db.function('lost', () => {
      throw new Error(LOST);
    });
    const [{ columns } = { columns: '' }] = open.rows<{ columns: string }>(
      "SELECT group_concat('lost() AS ' || name) AS columns FROM pragma_table_info(?)",
      table,
    );
    open.db.exec(`ALTER TABLE ${table} RENAME TO kept_${table};
      CREATE VIEW ${table} AS SELECT ${columns};`);
    await expect(open.deliver(bodyOf(new Service()))).rejects.toThrow(LOST);
    expect(open.journalLength()).toBe(length);
    expect(open.rows('SELECT * FROM quarantine')).toEqual([]);
  },
);
