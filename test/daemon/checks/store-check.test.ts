import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../../src/daemon/checks/store-check.ts';
import { closeOf } from '../../store/close/closing.ts';
import { Service } from '../../store/webhook.ts';
import { openLedgerFile, START, temporaryPath } from '../../store/open-ledger.ts';

const CONFIG = 'etc/staging.json';
const UTC = { timezone: 'UTC', pattern: '5 0 * * *' };

test.for(['file', 'folder'])(
  'a store that can be read, and whose %s cannot be written, is a problem',
  async (part) => {
    const { open, path } = await openLedgerFile();
    open.close();
    const sealed = part === 'file' ? path : dirname(path);
    const found = await checkStore(path, {
      now: START,
      close: UTC,
      configPath: CONFIG,
      mayWrite: (each) => each !== sealed,
    });
    expect(found).toEqual([
      {
        check: 'store',
        status: 'problem',
        detail: `${sealed} cannot be written: let the user who runs this own ${path} and its folder, and be able to write both`,
      },
    ]);
  },
);

test.for([
  ['no folder', join('missing', 'store.db'), 'missing does not exist: create it'],
  ['a folder of somebody else', 'store.db', 'cannot be written by this user: change its owner'],
] as const)('a store that does not exist yet has %s', async ([, name, says]) => {
  const folder = dirname(temporaryPath());
  const found = await checkStore(join(folder, name), {
    now: START,
    close: UTC,
    configPath: CONFIG,
    mayWrite: () => false,
  });
  expect(found).toMatchObject([{ check: 'store', status: 'problem' }]);
  expect(found[0]?.detail).toContain(says);
});

test('a store that can be read and written is ok, and the result names its file and the command of its audit', async () => {
  const { open, path } = await openLedgerFile();
  open.close();
  const about = { now: START, close: UTC, configPath: CONFIG, mayWrite: () => true };
  expect(await checkStore(path, about)).toMatchObject([
    {
      status: 'ok',
      detail: `${path} holds 1 fact; \`counterfoil verify --config etc/staging.json\` audits it`,
    },
  ]);
});

test('a store whose disk is nearly full is a problem, whoever may write it', async () => {
  const { open, path } = await openLedgerFile();
  open.close();
  const found = async (freeBytes: number) =>
    checkStore(path, {
      now: START,
      close: UTC,
      configPath: CONFIG,
      mayWrite: () => true,
      freeBytesOf: () => freeBytes,
    });
  expect(await found(67_108_863)).toEqual([
    {
      check: 'store',
      status: 'problem',
      detail: `the disk of ${path} has 63 MiB left: make room; a daemon on a full disk answers 503 to webhooks`,
    },
  ]);
  expect(await found(67_108_864)).toMatchObject([{ status: 'ok' }]);
});

test('another time zone than that of the last closed day is a warning that says what the next day is', async () => {
  const { open, path } = await openLedgerFile();
  const midnight = Date.parse('2025-11-21T00:00:00Z');
  await open.deliver(new Service().confirmed(1));
  open.at = midnight;
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: midnight }));
  open.close();
  const found = async (timezone: string) =>
    (
      await checkStore(path, {
        now: midnight,
        close: { ...UTC, timezone },
        configPath: CONFIG,
        mayWrite: () => true,
      })
    ).filter(({ check }) => check === 'time zone of days');
  expect(await found('Pacific/Auckland')).toEqual([
    {
      check: 'time zone of days',
      status: 'warning',
      detail:
        'reconcile.timezone is Pacific/Auckland, but 2025-11-20 was closed in UTC: the next day, 2025-11-21, goes from 2025-11-21T00:00:00.000Z to 2025-11-21T11:00:00.000Z',
    },
  ]);
  expect(await found('UTC')).toEqual([]);
});
