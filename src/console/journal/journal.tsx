import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Card } from '../../pages/parts/card.tsx';
import { RawBody } from '../parts/fact/raw-body.tsx';
import { bodyCall } from '../parts/fact/body-call.ts';

const SEQ = ':seq{[0-9]{1,15}}';

/** `/console/journal/{seq}`: the body of a fact, to read and to download. */
export function mountJournal(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, missing, may, denied } = context;
  app.get(`/console/journal/${SEQ}`, async (pageRequest) => {
    const seq = pageRequest.req.param('seq');
    const title = `Journal position ${seq}`;
    if (!may(pageRequest, bodyCall(seq))) return denied(pageRequest, bodyCall(seq));
    const body = await reads.body(Number(seq));
    if (body === undefined) return missing(pageRequest, `The journal holds nothing at ${seq}.`);
    return show(pageRequest, {
      title,
      body: (
        <Card id="body" title="The body as received">
          <RawBody body={body} seq={Number(seq)} />
        </Card>
      ),
    });
  });
  app.get(`/console/journal/${SEQ}/bytes`, async (pageRequest) => {
    const seq = pageRequest.req.param('seq');
    if (!may(pageRequest, bodyCall(seq))) return denied(pageRequest, bodyCall(seq));
    const body = await reads.body(Number(seq));
    if (body?.isWhole !== true)
      return missing(pageRequest, `There are no bytes to show at ${seq}.`);
    // The webhook's sender wrote these bytes: a browser must neither show nor run them.
    return pageRequest.body(Uint8Array.from(body.bytes), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="journal-${seq}.bin"`,
    });
  });
}
