import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresPrograms } from '../../src/commands/demo/postgres/installation.ts';
import { freePort } from '../e2e/program.ts';
import { REPOSITORY } from '../house/source.ts';
import { Books } from './books.ts';
import { OVER_POSTGRES, type OverPostgres } from './over-postgres.ts';
import {
  blocksOf,
  isCommand,
  readPage,
  sectionsOf,
  type Block,
  type Page,
} from './reading/page.ts';
import type { Reader } from './reading/reader.ts';
import { isUntested } from './untested-blocks.ts';
import { TUTORIAL } from './world.ts';

const lacking = ['curl', 'jq', 'openssl', 'haproxy', 'psql', 'pg_basebackup'].filter(
  (program) => spawnSync('which', [program], { stdio: 'ignore' }).status !== 0,
);
const canRun = postgresPrograms(process.env) !== undefined && lacking.length === 0;
if (!canRun) {
  console.warn(
    'skipped: `apt-get install postgresql haproxy curl jq openssl` brings what it needs',
  );
}

/** A page starts receivers and servers, which takes long on a busy machine. */
const PAGE_MS_MAX = 600_000;

type Swaps = [string, string][];
type Json = Record<string, object>;

function pageOf({ page, sections }: OverPostgres): Page {
  return sectionsOf(readPage(page), sections);
}

/** The block of the page that begins so. */
function blockOf(page: Page, begins: string): string {
  const block = blocksOf(page).find(({ text }) => text.startsWith(begins));
  if (block === undefined) throw new Error(`${page.path} has no block ${begins}`);
  return block.text;
}

const TUTORIAL_BEGINS = [
  '## 2. Make the key and the tokens',
  '## 3. Start the custody core',
  '## 4. Create an API client and a vault',
  '## 5. Write the configuration',
];

const TUTORIAL_PAYS = ['## 8. Let a customer pay', '## 9. Read the credit'];

function tutorial(sections: readonly string[]): Page {
  return sectionsOf(readPage(TUTORIAL), sections);
}

/** The commands of a section of the tutorial that the page refers to. */
function commandsOf(page: Page): string {
  return blocksOf(page)
    .filter(isCommand)
    .map(({ text }) => text)
    .join('');
}

/** In each new terminal the tutorial's reader types this first. */
const SETTINGS = 'set -a && . ./settings.env && set +a\n';

/** The example of a receiver on one machine, over the servers that run here. */
function receiverOnOneMachine(reader: Reader, swaps: Swaps): void {
  let text = readFileSync(join(REPOSITORY, 'config/receivers/receiver.json'), 'utf8');
  for (const [from, to] of swaps) text = text.replaceAll(from, to);
  text = text
    .replaceAll('10.0.0.21', '127.0.0.1')
    .replaceAll('/srv/counterfoil/', '')
    .replace(/\?sslmode=[^"]+/, '');
  reader.save('config.json', text);
  const secret = randomBytes(32).toString('hex');
  const settings = ['RECEIVER_SECRET=', 'PATH_TOKEN=', 'CUSTODY_PIN=sha256:', 'OPERATOR_SHA256='];
  reader.save('settings.env', settings.map((begins) => `${begins}${secret}\n`).join(''));
}

/** A receiver of the first of two journals, from the pieces that the page shows. */
function receiverOfJournal(page: Page, swaps: Swaps): string {
  const shown = blocksOf(page).filter(({ language }) => language === 'json');
  const [receiver, journal] = shown.map(({ text }) => JSON.parse(text) as Json);
  const config = JSON.parse(blockOf(readPage(TUTORIAL), '{\n  "listen"')) as Json;
  const crediting = { ...config['crediting'], ...journal?.['crediting'] };
  let text = JSON.stringify({ ...config, ...receiver, ...journal, crediting });
  for (const [from, to] of [
    ...swaps,
    ['10.0.0.1', '127.0.0.1'],
    ['https://custody.example', 'http://127.0.0.1:4100'],
    ['https://hooks-1.example', 'http://127.0.0.1:8080'],
    ['the API client of journal 1', '${CUSTODY_CLIENT_ID}'],
    ['journal-1.key', 'custody.key'],
    ['the first vault of journal 1', '${VAULT_1}'],
    ['the second vault of journal 1', '${VAULT_2}'],
  ] as const) {
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Makes the vaults of the first journal, as its configuration names them. */
const VAULTS_OF_JOURNAL = `export PATH_TOKEN_OF_JOURNAL_1=$(openssl rand -hex 32)
export VAULT_1=$(sim vaults '{"name":"one"}' | jq -r .vaultId)
export VAULT_2=$(sim vaults '{"name":"two"}' | jq -r .vaultId)
`;

/** What a reader has who backs a journal up. */
const MAKE_JOURNAL = `counterfoil init --store postgres://counterfoil_owner@db1,db2/books \\
  --runtime-role counterfoil
counterfoil copy --from sqlite:store.db --to postgres://counterfoil@db1,db2/books
`;

const FORGET_SCHEMA =
  'psql "host=db1,db2 user=postgres dbname=books target_session_attrs=read-write" -c "DROP SCHEMA books_2 CASCADE"\n';

function before(begins: string, typed: string): [string, string] {
  return [begins, `${typed}${begins}`];
}

interface Visit {
  readonly does: string;
  readonly types: OverPostgres;
  /** Makes what the page's reader has already, and says what is typed in the place of what. */
  readonly begin: (visit: {
    readonly books: Books;
    readonly reader: Reader;
    readonly page: Page;
    readonly servers: Swaps;
  }) => Promise<Swaps>;
}

const VISITS: Record<keyof typeof OVER_POSTGRES, Visit> = {
  twoMachines: {
    does: 'makes the journal and starts a receiver on two machines',
    types: OVER_POSTGRES.twoMachines,
    begin: async ({ books, reader, servers }) => {
      await books.remove();
      receiverOnOneMachine(reader, servers);
      return [before('counterfoil doctor', SETTINGS)];
    },
  },
  receivers: {
    does: 'starts two receivers, moves a store and sets up more than one journal',
    types: OVER_POSTGRES.receivers,
    begin: async ({ books, reader, page, servers }) => {
      await books.create();
      reader.save('config.json', blockOf(readPage(TUTORIAL), '{\n  "listen"'));
      reader.save('journal-1-a.json', receiverOfJournal(page, servers));
      return [
        before('HOSTS=', commandsOf(tutorial(TUTORIAL_BEGINS))),
        before('curl -s http://127.0.0.1:8801', commandsOf(tutorial(TUTORIAL_PAYS))),
        before('for SCHEMA in', VAULTS_OF_JOURNAL),
        ['8801', `${await freePort()}`],
        ['8802', `${await freePort()}`],
      ];
    },
  },
  backup: {
    does: 'backs a journal up, audits the backup, and goes on from a replica or an earlier state',
    types: OVER_POSTGRES.backup,
    begin: async ({ books, reader }) => {
      await books.create();
      await books.letReceiversSee();
      onTestFinished(() => books.stopRestored(reader));
      return [
        before('pg_basebackup', MAKE_JOURNAL),
        // Both ways make the same schema, and a reader goes one of them.
        before('counterfoil copy --from postgres', FORGET_SCHEMA),
      ];
    },
  },
  upgrade: {
    does: 'copies a replica into a new schema',
    types: OVER_POSTGRES.upgrade,
    begin: async ({ books }) => {
      await books.create();
      await books.letReceiversSee();
      return [];
    },
  },
};

describe.runIf(canRun)('a reader with PostgreSQL', { timeout: PAGE_MS_MAX }, () => {
  let books: Books;
  beforeAll(async () => {
    books = await Books.start();
  });
  afterAll(() => books?.stop());

  const visits = Object.values(VISITS).map((visit) => [visit.does, visit] as const);
  test.for(visits)('%s', async ([, { types, begin }]) => {
    const page = pageOf(types);
    const reader = await books.reader();
    onTestFinished(() => reader.leave());
    const servers = await books.swaps();
    const own = await begin({ books, reader, page, servers });
    const isLeftOut = (block: Block): boolean => isUntested(page, block);
    expect(await reader.follow(page, { isLeftOut, swaps: [...own, ...servers] })).toEqual([]);
  });
});
