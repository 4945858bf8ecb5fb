import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Card } from '../../pages/parts/card.tsx';
import { RawBody } from '../parts/fact/raw-body.tsx';

const SEQ = ':seq{[0-9]{1,15}}';

/** `/console/journal/{seq}`: the body of a fact, to read and to download. */
export function mountJournal(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, missing, may, denied } = context;
  const call = (seq: string) => ({ method: 'GET', path: `/v1/journal/${seq}/body` }) as const;
  app.get(`/console/journal/${SEQ}`, async (visit) => {
    const seq = visit.req.param('seq');
    const title = `Journal position ${seq}`;
    if (!may(visit, call(seq))) return denied(visit, call(seq));
    const body = await reads.body(Number(seq));
    if (body === undefined) return missing(visit, `The journal holds nothing at ${seq}.`);
    return show(visit, {
      title,
      body: (
        <Card id="body" title="The body as received">
          <RawBody body={body} seq={Number(seq)} />
        </Card>
      ),
    });
  });
  app.get(`/console/journal/${SEQ}/bytes`, async (visit) => {
    const seq = visit.req.param('seq');
    if (!may(visit, call(seq))) return denied(visit, call(seq));
    const body = await reads.body(Number(seq));
    if (body?.isWhole !== true) return missing(visit, `There are no bytes to show at ${seq}.`);
    // The webhook's sender wrote these bytes: a browser must neither show nor run them.
    return visit.body(Uint8Array.from(body.bytes), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="journal-${seq}.bin"`,
    });
  });
}
