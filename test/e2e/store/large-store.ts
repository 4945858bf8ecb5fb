import { randomBytes } from 'node:crypto';
import { OpenLedger, SIX_DEEP, temporaryPath } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

/** In base64 below the bound of a body, 1 MiB, and hardly to be packed. */
const BODY_RANDOM_BYTES = 750_000;

/** Bodies of one commit are kept together by so many. */
export const BODIES_TOGETHER = 16;

/** A store with bodies nearly as long as they may be: so many times sixteen. */
export async function largeStore(commits: number): Promise<string> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  await open.setPolicy(SIX_DEEP);
  const service = new Service();
  for (let commit = 0; commit < commits; commit += 1) {
    const bodies = Array.from({ length: BODIES_TOGETHER }, (_, at) => ({
      ...service.confirmed(6, { blockchainHash: `0x${commit}-${at}` }),
      metadata: { any: randomBytes(BODY_RANDOM_BYTES).toString('base64') },
    }));
    await open.deliverTogether(...bodies);
  }
  open.close();
  return path;
}
