import type { Block, Page } from './reading/page.ts';

/** A command block that no test types, with the reason. */
interface UntestedBlock {
  readonly page: string;
  /** How the block begins. */
  readonly begins: string;
  readonly why: string;
}

const INSTALLS = 'would install packages and the program for the whole machine';
const POSTGRES_DEMO = 'demo-postgres.test.ts starts it where PostgreSQL is installed';
const PATRONI = 'needs machines of its own; nightly/patroni.test.ts runs the example of Patroni';
const PGBACKREST = 'pgbackrest.test.ts runs it, with a repository and a stanza of its own';
const DOCKER = 'needs a Docker daemon; test/house/dockerfile.test.ts reads the Dockerfile';

export const UNTESTED_BLOCKS: readonly UntestedBlock[] = [
  { page: 'README.md', begins: 'npm ci && npm start', why: 'demo.test.ts starts the demo' },
  { page: 'README.md', begins: 'npm ci && npm test', why: 'would run this test again' },
  {
    page: 'docs/tutorials/five-minutes-with-the-demo.md',
    begins: 'npm ci && npm start',
    why: 'commands.test.ts starts the built demo instead',
  },
  {
    page: 'docs/tutorials/five-minutes-with-the-demo.md',
    begins: 'npm start -- --store postgres',
    why: POSTGRES_DEMO,
  },
  {
    page: 'docs/how-to/run-several-receivers.md',
    begins: 'npm ci && npm start -- --store postgres',
    why: POSTGRES_DEMO,
  },
  {
    page: 'docs/tutorials/credit-your-first-deposit.md',
    begins: 'npm ci && npm run build && npm link',
    why: INSTALLS,
  },
  {
    page: 'docs/tutorials/credit-your-first-deposit.md',
    begins: 'eval "counterfoil()',
    why: 'takes the place of `npm link`; commands.test.ts types it alone',
  },
  { page: 'docs/how-to/deploy.md', begins: 'npm ci && npm run build && npm link', why: INSTALLS },
  { page: 'docs/how-to/upgrade.md', begins: 'git fetch', why: 'needs the repository’s origin' },
  { page: 'docs/how-to/upgrade.md', begins: 'git pull && npm ci', why: INSTALLS },
  {
    page: 'docs/how-to/read-the-credit-feed.md',
    begins: 'npm init -y && npm i better-sqlite3',
    why: 'the packages of this repository stand in',
  },
  {
    page: 'docs/how-to/read-the-credit-feed.md',
    begins: 'npx tsc',
    why: 'demo.test.ts runs it beside a demo: the program does not end',
  },
  {
    page: 'docs/how-to/put-it-behind-a-proxy.md',
    begins: 'counterfoil doctor --proxy https://hooks',
    why: 'doctor.test.ts tries it against real proxies',
  },
  {
    page: 'docs/how-to/put-it-behind-a-proxy.md',
    begins: 'counterfoil doctor --proxy https://localhost',
    why: 'doctor.test.ts tries it against real proxies',
  },
  {
    page: 'docs/how-to/run-several-receivers.md',
    begins: 'npm run dev:postgres',
    why: 'dev.test.ts runs it until Ctrl-C; the same servers stand in',
  },
  {
    page: 'docs/how-to/run-on-two-machines.md',
    begins: 'apt-get install etcd-server',
    why: INSTALLS,
  },
  {
    page: 'docs/how-to/run-on-two-machines.md',
    begins: 'systemctl restart etcd',
    why: PATRONI,
  },
  {
    page: 'docs/how-to/run-on-two-machines.md',
    begins: 'apt-get install postgresql patroni',
    why: INSTALLS,
  },
  {
    page: 'docs/how-to/run-on-two-machines.md',
    begins: 'systemctl daemon-reload',
    why: PATRONI,
  },
  {
    page: 'docs/how-to/run-on-two-machines.md',
    begins: 'haproxy -c -f',
    why: 'reads the machine’s HAProxy; receivers/haproxy.test.ts runs the example',
  },
  {
    page: 'docs/how-to/back-up-and-restore.md',
    begins: 'pgbackrest --stanza=books stanza-create',
    why: PGBACKREST,
  },
  {
    page: 'docs/how-to/back-up-and-restore.md',
    begins: 'pgbackrest --stanza=books --type=time',
    why: PGBACKREST,
  },
  {
    page: 'docs/mutation.md',
    begins: 'npm run mutation',
    why: 'takes an hour; nightly/mutation.test.ts runs it',
  },
  {
    page: 'docs/performance.md',
    begins: 'npm run build',
    why: 'takes hours; bench/plan.test.ts reads the flags of every line',
  },
  { page: 'docs/how-to/run-in-docker.md', begins: 'docker build', why: DOCKER },
  {
    page: 'docs/how-to/run-in-docker.md',
    begins: 'cd config/receivers',
    why: 'would write into the examples; house/compose.test.ts types it in a copy',
  },
  { page: 'docs/how-to/run-in-docker.md', begins: 'docker compose', why: DOCKER },
  { page: 'docs/how-to/run-in-docker.md', begins: 'docker run --rm', why: DOCKER },
];

export function isUntested(page: Page, block: Block): boolean {
  return UNTESTED_BLOCKS.some((one) => one.page === page.path && block.text.startsWith(one.begins));
}
