import { breakKey } from '../../domain/break/break.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { quarantineParts } from '../../domain/fact/quarantined.ts';
import type { KeptBody, ShownBreak } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import type { QuarantineRow } from '../../store/records.ts';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { RawBody } from '../parts/fact/raw-body.tsx';
import { PATH, StateBadge } from './list-page.tsx';

/** Breaks about one notification: it may conflict again after each resolution. */
const BREAKS_MAX = 20;

/** A quarantined body. `body` is null for a visitor who may not read bytes. */
export interface Kept {
  readonly row: QuarantineRow;
  readonly body: KeptBody | undefined | null;
  /** The newest break about its notification; undefined in a damaged store. */
  readonly about: ShownBreak | undefined;
}

/** Reads a quarantined body with its bytes. */
export async function readKept(
  reads: Reads,
  quarantineId: string,
  { mayReadBodies }: { mayReadBodies: boolean },
): Promise<Kept | undefined> {
  const row = await reads.quarantined(quarantineId);
  if (row === undefined) return undefined;
  const body = mayReadBodies ? await reads.body(row.seq) : null;
  return { row, body, about: await breakAbout(reads, row) };
}

/** A body without a first one under its id is quarantined; a second body conflicts with the first. */
async function breakAbout(
  reads: Reads,
  { notificationId, seq }: QuarantineRow,
): Promise<ShownBreak | undefined> {
  const found = await Promise.all(
    (['quarantined', 'id_conflict'] as const).map(async (type) => {
      const key = breakKey(type, notificationId);
      return (await reads.breaks({ key }, { page: 0, pageSize: BREAKS_MAX })).items;
    }),
  );
  const about = found.flat();
  return about.find((one) => one.seq === seq) ?? about[0];
}

function Facts({ row }: { row: QuarantineRow }): Markup {
  const { notificationId, state, receivedAt, retriedAt } = row;
  return (
    <dl class="facts">
      <Fact name="State">
        <StateBadge state={state} />
      </Fact>
      <Fact name="Notification">
        <Identifier value={notificationId} whole />
      </Fact>
      <Fact name="Received">
        <Moment at={receivedAt} />
      </Fact>
      {retriedAt !== null && (
        <Fact name="Retried">
          <Moment at={retriedAt} />
        </Fact>
      )}
    </dl>
  );
}

function WhatToDo({ about }: Pick<Kept, 'about'>): Markup {
  return (
    <Card id="what-to-do" title="What to do">
      <ol class="steps">
        <li>If a newer version knows this notification, upgrade and retry it.</li>
        <li>
          If the custody service did not send the notification, resolve its break
          {about === undefined ? (
            '.'
          ) : (
            <>
              : <a href={`/console/breaks/${about.breakId}`}>{about.type.replaceAll('_', ' ')}</a>,{' '}
              {about.state}.
            </>
          )}
        </li>
      </ol>
    </Card>
  );
}

/** One quarantined body: why it is here, its bytes, and its retry. */
export function KeptPage({ kept, mayRetry }: { kept: Kept; mayRetry: boolean }): Markup {
  const { row, body, about } = kept;
  const { quarantineId, defect, state, seq } = row;
  const effect =
    'Reads the body again. If this version understands it, it is booked as if it arrived now, and its break closes.';
  const action = `${PATH}/${quarantineId}/retry`;
  const hidden = { basis: versionText(quarantineParts(row)) };
  return (
    <>
      <Card
        id="kept"
        title="Why it is here"
        live="quarantine"
        aside={<a href={PATH}>The whole quarantine</a>}
      >
        <p class="lead">{defect}</p>
        <Facts row={row} />
      </Card>
      {mayRetry && state === 'kept' && (
        <div class="actions">
          <ConfirmForm action={action} label="Retry" effect={effect} hidden={hidden} />
        </div>
      )}
      <WhatToDo about={about} />
      {body !== null && (
        <Card id="body" title="The body as received">
          <RawBody body={body} seq={seq} />
        </Card>
      )}
    </>
  );
}
