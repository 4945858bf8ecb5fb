import { factOf } from '../../store/open-ledger.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

/** Keeps bodies as an earlier version did, which did not understand them. */
export async function keepUnderstood(
  { open, service }: ConsoleUnderTest,
  count: number,
): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const body = { ...service.confirmed(6, { blockchainHash: `0xf${number}` }), id: `k${number}` };
    const fact = factOf(body, open.at);
    if (fact.kind !== 'notification') throw new Error('not understood');
    const { at, raw } = fact;
    await open.commit([{ kind: 'quarantined', at, raw, id: `k${number}`, defect: 'unknown type' }]);
  }
}
