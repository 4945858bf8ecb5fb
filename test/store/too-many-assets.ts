import { decodeAgain } from '../../src/intake/decode.ts';
import { openLedgerFile, type OpenLedger } from './open-ledger.ts';
import { change, Service } from './webhook.ts';

/** A body of more assets than are booked at once: 600. */
export function bodyOfTooManyAssets(): object {
  const entries = Array.from({ length: 600 }, (_, at) => change(1n, { asset: `ethereum:C${at}` }));
  return { ...new Service().confirmed(1), balanceChanges: entries };
}

/** A store that booked it all the same, as one may have done before there was a bound. */
export async function storeOfTooManyAssets(): Promise<{ open: OpenLedger; path: string }> {
  const { open, path } = await openLedgerFile();
  const raw = Buffer.from(JSON.stringify(bodyOfTooManyAssets()));
  const read = decodeAgain(raw);
  if (read.kind !== 'notification') throw new Error(`it is ${read.kind}`);
  await open.commit([{ ...read, at: open.at, raw }]);
  return { open, path };
}
