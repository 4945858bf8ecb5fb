import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually, launchKillable } from '../e2e/program.ts';
import { OVER_POSTGRES, type OverPostgres } from './over-postgres.ts';
import {
  blocksOf,
  hidesCommands,
  isCommand,
  readPage,
  readPages,
  sectionsOf,
  withoutSections,
  type Page,
} from './reading/page.ts';
import { Reader } from './reading/reader.ts';
import { isUntested, UNTESTED_BLOCKS } from './untested-blocks.ts';
import { TUTORIAL, World } from './world.ts';

const DEMO = 'docs/tutorials/five-minutes-with-the-demo.md';
const TOUR = 'docs/tutorials/tour-of-the-custody-core.md';
const DEPLOY = 'docs/how-to/deploy.md';
const CLOSE = 'docs/how-to/close-and-sign-a-day.md';

/** In an order in which each page finds what it needs; the close needs an older store. */
const AFTER_THE_TUTORIAL = [
  'docs/how-to/decide-about-held-deposits.md',
  'docs/how-to/handle-each-break.md',
  'docs/how-to/give-customers-addresses-and-memos.md',
  'docs/how-to/read-the-credit-feed.md',
  'docs/how-to/change-the-crediting-policy.md',
  'docs/how-to/correct-decimals.md',
  'docs/how-to/exempt-a-difference.md',
  'docs/reference/api.md',
  'docs/how-to/monitor.md',
  'docs/how-to/rotate-tokens-and-keys.md',
  'docs/how-to/back-up-and-restore.md',
  'docs/how-to/upgrade.md',
  'docs/how-to/put-it-behind-a-proxy.md',
  'docs/reference/configuration.md',
  'docs/reference/schema.md',
];

/** A page restarts the daemon a few times, which takes long on a busy machine. */
const PAGE_MS_MAX = 600_000;

/** Core and daemon start one after the other, which takes long on a busy machine. */
const START_MS_MAX = 240_000;

function userPages(): Page[] {
  return readPages().filter(({ path }) => path === 'README.md' || path.startsWith('docs/'));
}

/** A page without the sections that `journal-commands.test.ts` types. */
function withoutPostgres(page: Page): Page {
  const typed: OverPostgres[] = Object.values(OVER_POSTGRES);
  const sections = typed.flatMap((one) => (one.page === page.path ? one.sections : []));
  return withoutSections(page, sections);
}

function follow(reader: Reader, path: string, swaps: [string, string][] = []): Promise<string[]> {
  const page = withoutPostgres(readPage(path));
  return reader.follow(page, { isLeftOut: (block) => isUntested(page, block), swaps });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PAGE = 'docs/how-to/planted.md';

test.for([
  ['a command that fails', 'false', 'exit code 1'],
  [
    'a member that is not shown',
    'echo \'{"a":1,"b":2}\'\n```\n\n```json\n{"a":1}',
    '.b: not shown',
  ],
  ['a member that is not printed', 'echo \'{}\'\n```\n\n```json\n{"a":1}', '.a: is not printed'],
  ['a member of another type', 'echo \'[{"a":1}]\'\n```\n\n```json\n[{"a":"1"}]', '[].a: shown'],
  ['a line that is not printed', 'echo 3 facts\n```\n\n```text\n4 facts, sound', 'not printed'],
] as const)('%s is found on a page', async ([, text, problem]) => {
  const reader = await Reader.create();
  onTestFinished(() => reader.leave());
  const page = { path: PAGE, text: `# Planted\n\n\`\`\`sh\n${text}\n\`\`\`\n` };
  expect(await reader.follow(page)).toEqual([expect.stringContaining(problem)]);
});

test('every command block is run by a test, or is listed in `untested-blocks.ts`', () => {
  const typed = [...AFTER_THE_TUTORIAL, CLOSE, DEPLOY, DEMO, TOUR, TUTORIAL];
  const missed = userPages()
    .filter(({ path }) => !typed.includes(path))
    .map(withoutPostgres)
    .flatMap((page) =>
      blocksOf(page)
        .filter((block) => isCommand(block) && !isUntested(page, block))
        .map(({ line }) => `${page.path}:${line}`),
    );
  expect(missed).toEqual([]);
});

/** Blocks of pages that hide commands from the tests. */
function hiding(pages: readonly Page[]): string[] {
  return pages.flatMap((page) =>
    blocksOf(page)
      .filter(hidesCommands)
      .map(({ line }) => `${page.path}:${line}`),
  );
}

test('no block that looks like commands is fenced as anything but `sh`', () => {
  expect(hiding(readPages())).toEqual([]);
});

test.for([
  ['text', 'counterfoil verify --store a.db'],
  ['text', 'some output\nsudo systemctl start counterfoil'],
  ['', 'npm run bench'],
  ['', 'psql -c "TABLE facts"'],
  ['text', 'pg_basebackup -D backup'],
  ['shell', 'apt-get install postgresql'],
  ['text', 'eval "name() { true; }"'],
  ['text', 'TOKEN=$(cat root.token)'],
  ['text', '$ curl http://127.0.0.1:8080'],
  ['text', '   for SCHEMA in one two; do'],
] as const)('commands fenced as "%s" are found: %s', ([language, text]) => {
  const page = `# Planted\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;
  expect(hiding([{ path: PAGE, text: page }])).toEqual([`${PAGE}:3`]);
});

test('the blocks of a section keep their lines', () => {
  const block = (text: string): string => `\`\`\`sh\n# ${text}\n\`\`\`\n`;
  const text = `# Planted\n${block('a')}## One\n${block('b')}### In it\n${block('c')}## Two\n${block('d')}`;
  const page = { path: PAGE, text };
  const textsOf = (part: Page): (string | number)[][] =>
    blocksOf(part).map((one) => [one.text.trim(), one.line]);
  const inside = [
    ['# b', 6],
    ['# c', 10],
  ];
  const outside = [
    ['# a', 2],
    ['# d', 14],
  ];
  expect(textsOf(sectionsOf(page, ['## One']))).toEqual(inside);
  expect(textsOf(withoutSections(page, ['## One']))).toEqual(outside);
});

test('each block that `untested-blocks.ts` lists exists once', () => {
  for (const one of UNTESTED_BLOCKS) {
    const blocks = blocksOf(readPage(one.page)).filter(({ text }) => text.startsWith(one.begins));
    expect([one.page, one.begins, blocks.length]).toEqual([one.page, one.begins, 1]);
  }
});

test('every block of JSON is JSON', () => {
  const blocks = userPages().flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === 'json')
      .map((block) => ({ where: `${page.path}:${block.line}`, text: block.text })),
  );
  expect(blocks.length).toBeGreaterThan(5);
  const flawed = blocks.filter(({ text }) => !isJson(text));
  expect(flawed.map(({ where }) => where)).toEqual([]);
});

/** What the pages call beside our own program; `.ci/run` installs them. */
const CALLED = ['curl', 'jq', 'openssl', 'sqlite3', 'hledger', 'bean-check'];

const lacking = CALLED.filter(
  (program) => spawnSync('which', [program], { stdio: 'ignore' }).status !== 0,
);
/** Commands that ask the custody API many times. */
const ASKS_THE_SERVICE = /^counterfoil (doctor|subscribe)/m;

const withPrograms = { skip: lacking.length > 0, timeout: PAGE_MS_MAX };

describe('a reader', withPrograms, () => {
  let world: World;
  let otherwise: string[];

  beforeAll(async () => {
    world = new World(await Reader.create());
    otherwise = await world.begin();
    await world.addProblems();
  }, PAGE_MS_MAX);

  afterAll(() => world.reader.leave());

  test('follows the tutorial from an empty folder to a credited deposit', () => {
    expect(otherwise).toEqual([]);
  });

  test.for(AFTER_THE_TUTORIAL)('follows %s after the tutorial', async (path) => {
    const page = readPage(path);
    if (blocksOf(page).some(({ text }) => ASKS_THE_SERVICE.test(text))) world.forgetRequests();
    expect(await follow(world.reader, path)).toEqual([]);
  });

  test('closes and signs a day once one has ended', async () => {
    await world.age();
    expect(await follow(world.reader, CLOSE)).toEqual([]);
  });
});

/** What the tutorial uses for the custody service: the core, its client and its vault. */
function custodyOfTheTutorial(): string {
  const blocks = blocksOf(readPage(TUTORIAL)).filter(isCommand);
  return ['counterfoil core', 'sim() {']
    .map((begins) => blocks.find(({ text }) => text.startsWith(begins))?.text ?? '')
    .join('\n');
}

test('a reader deploys from an empty folder', withPrograms, async () => {
  const reader = await Reader.create();
  onTestFinished(() => reader.leave());
  const config = blocksOf(readPage(TUTORIAL)).find(({ file }) => file === 'config.json');
  reader.save('config.json', config?.text ?? '');
  const swaps: [string, string][] = [["CLIENT='the id of the API client'", custodyOfTheTutorial()]];
  expect(await follow(reader, DEPLOY, swaps)).toEqual([]);
});

test('a reader who may not link the program calls it as the tutorial says', async () => {
  const reader = await Reader.create();
  onTestFinished(() => reader.leave());
  const blocks = blocksOf(readPage(TUTORIAL));
  const begins = blocks.find(({ text }) => text.startsWith('eval "counterfoil()'))?.text;
  const text = `\`\`\`sh\n${begins}type -t counterfoil\ncounterfoil keygen --out own\n\`\`\`\n\n\`\`\`text\nfunction\n\`\`\`\n`;
  expect(await reader.follow({ path: TUTORIAL, text })).toEqual([]);
  expect(reader.read('own.pub')).toContain('PUBLIC KEY');
});

test('a reader takes the tour of the custody core', withPrograms, async () => {
  const reader = await Reader.create();
  onTestFinished(() => reader.leave());
  expect(await follow(reader, TOUR)).toEqual([]);
});

/** Answers once the running demo has credited a deposit that then leaves the chain. */
async function reverseOne(url: string, controlUrl: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const get = async <Body>(path: string): Promise<Body> =>
    (await (await fetch(`${url}${path}`, { headers })).json()) as Body;
  const simulate = async (call: string, body: object): Promise<{ blockchainHash: string }> => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${controlUrl}/sim/${call}`, request)).json()) as {
      blockchainHash: string;
    };
  };
  type Rows<Row> = { data: Row[] };
  const { addressId } = await eventually('the demo has a balance', async () => {
    const { data } = await get<Rows<{ addressId: string }>>('/v1/balances?asset=bitcoin:BTC');
    return data[0];
  });
  const paid = { network: 'bitcoin', addressId, asset: 'bitcoin:BTC', amount: '90000000' };
  const { blockchainHash } = await simulate('deposits', paid);
  await simulate('blocks', { network: 'bitcoin', count: 6 });
  const states = async (): Promise<string[]> => {
    const path = `/v1/deposits?blockchainHash=${blockchainHash}`;
    return (await get<Rows<{ state: string }>>(path)).data.map(({ state }) => state);
  };
  await eventually('it is credited', async () =>
    ['credited', 'settled'].includes((await states())[0] ?? '') ? true : undefined,
  );
  await simulate('reorgs', { network: 'bitcoin', depth: 30, drop: [blockchainHash] });
  await eventually('its break is open', async () => {
    const path = '/v1/breaks?state=unresolved&type=reversal_after_credit';
    return (await get<Rows<object>>(path)).data[0];
  });
}

test('a reader asks the running demo what the tutorial asks', withPrograms, async () => {
  const reader = await Reader.create();
  onTestFinished(() => reader.leave());
  const ports = ['--port', `${reader.port}`, '--core-port', `${reader.corePort}`];
  const demo = launchKillable(['demo', '--seed', '1', ...ports]);
  onTestFinished(() => demo.kill('SIGHUP'));
  const token = await eventually(
    'the token of role admin',
    async () => /^token +(\S+) +role admin/m.exec(demo.stderr())?.[1],
    START_MS_MAX,
  );
  const [daemon, control] = [reader.port, reader.corePort + 1].map(
    (port) => `http://127.0.0.1:${port}`,
  );
  await reverseOne(daemon ?? '', control ?? '', token);
  expect(await follow(reader, DEMO, [['the token of role admin', token]])).toEqual([]);
});
