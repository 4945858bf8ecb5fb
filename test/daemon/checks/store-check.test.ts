import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../../src/daemon/checks/store-check.ts';
import { openLedgerFile, START } from '../../store/open-ledger.ts';

test.for(['file', 'folder'])(
  'a store that can be read, and whose %s cannot be written, is a problem',
  async (part) => {
    const { open, path } = await openLedgerFile();
    open.close();
    const sealed = part === 'file' ? path : dirname(path);
    const found = await checkStore(path, { now: START, mayWrite: (each) => each !== sealed });
    expect(found).toEqual([
      {
        check: 'store',
        status: 'problem',
        detail: `${sealed} cannot be written: let the user who runs this own ${path} and its folder, and be able to write both`,
      },
    ]);
  },
);

test('a store that can be read and written is ok, and the result names its file', async () => {
  const { open, path } = await openLedgerFile();
  open.close();
  const [store] = await checkStore(path, { now: START, mayWrite: () => true });
  expect(store?.status).toBe('ok');
  expect(store?.detail).toContain(path);
});
