import { expect, test } from 'vitest';
import { openSecret } from '../../../src/daemon/checks/secret-check.ts';

const MINE = 1_000;
const ROOT = 0;

const KEY = { where: 'custody.privateKeyFile', file: '/etc/counterfoil/custody.key' };

test.each([
  [0o600, MINE, MINE],
  [0o400, MINE, MINE],
  [0o700, MINE, MINE],
  // A daemon that is not root reads a file of root through its group.
  [0o640, ROOT, MINE],
  [0o440, ROOT, MINE],
])('mode %o of a file of user %i is closed enough for user %i', (mode, uid, own) => {
  expect(openSecret(KEY, { mode: 0o100000 | mode, uid }, own)).toBeNull();
});

test.each([
  [0o644, 'every user of this machine', '644'],
  [0o640, 'its group', '640'],
  [0o620, 'its group', '620'],
  [0o604, 'every user of this machine', '604'],
  [0o602, 'every user of this machine', '602'],
  [0o044, 'every user of this machine', '044'],
])(
  'a file of mode %o gives a warning that names who may read it, and the command that closes it',
  (mode, whom, bits) => {
    expect(openSecret(KEY, { mode: 0o100000 | mode, uid: MINE }, MINE)).toEqual({
      check: 'secret files',
      status: 'warning',
      detail: `custody.privateKeyFile is open to ${whom} (/etc/counterfoil/custody.key has mode ${bits}): close it with \`chmod 600 /etc/counterfoil/custody.key\``,
    });
  },
);

test.each([
  [0o660, ROOT, MINE, '`sudo chown "$(id -un)" /k && sudo chmod 600 /k`'],
  [0o644, ROOT, MINE, '`sudo chown "$(id -un)" /k && sudo chmod 600 /k`'],
  [0o640, 33, MINE, '`sudo chown "$(id -un)" /k && sudo chmod 600 /k`'],
  [0o640, MINE, ROOT, '`chmod 600 /k`'],
])('mode %o of a file of user %i is corrected by user %i with %s', (mode, uid, own, command) => {
  const found = openSecret({ where: 'x', file: '/k' }, { mode, uid }, own);
  expect(found?.detail).toMatch(new RegExp(` with ${command.replaceAll(/[$()]/g, '\\$&')}$`));
});

test('a path that a shell would take apart is quoted', () => {
  const file = "/my keys/o'brien.key";
  const found = openSecret({ where: 'x', file }, { mode: 0o644, uid: MINE }, MINE);
  expect(found?.detail).toContain("`chmod 600 '/my keys/o'\\''brien.key'`");
});
