import type { Hono } from 'hono';
import { SIGNATURE_ROLES } from '../../domain/close/record.ts';
import { DOCUMENT_POLICY, FORMATS } from '../../report/document.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { readCriticalBreaks } from '../parts/value/critical-breaks.tsx';
import { download } from '../parts/list/table-download.ts';
import { CalendarPage, CLOSE_PATH } from './calendar.tsx';
import { mountDayMovements } from './day-movements.tsx';
import { DayPage, UnclosedDayPage } from './day-page.tsx';
import { askedDay } from './asked-day.ts';
import type { DayCloses } from '../parts/journal-days.ts';
import { readBreaksNow } from './breaks-now.tsx';
import { readDayReport } from './day-report.ts';
import { isDay, readMonth, readUnclosedDay } from './days.ts';
import { signedText } from './signing.tsx';

function signCall(day: string) {
  return { method: 'POST', path: `/v1/reports/daily/${day}/sign` } as const;
}

function closeCall(day: string) {
  return { method: 'POST', path: `/v1/reports/daily/${day}/close` } as const;
}

/** The sealed report of a closed day as a page, and its documents to save. */
function mountDocuments(app: Hono<ConsoleEnv>, { document, missing }: ConsoleContext): void {
  app.get('/console/reports/:day', async (pageRequest) => {
    const day = pageRequest.req.param('day');
    const report = await document(day, 'html');
    if (report === undefined) return missing(pageRequest, `The day ${day} is not closed.`);
    const { body, contentType } = report;
    return pageRequest.body(body, 200, {
      'Content-Security-Policy': DOCUMENT_POLICY,
      'Content-Type': contentType,
    });
  });
  app.get(`${CLOSE_PATH}/:day/:format`, async (pageRequest) => {
    const { day, format: asked } = pageRequest.req.param();
    const format = FORMATS.find((one) => one === asked);
    const report = format === undefined || !isDay(day) ? undefined : await document(day, format);
    if (report === undefined)
      return missing(pageRequest, `There is no document ${asked} of ${day}.`);
    return download(pageRequest, report);
  });
}

/** Closing a day, and signing its report. */
function mountActions(app: Hono<ConsoleEnv>, { reads, perform, missing }: ConsoleContext): void {
  app.post(`${CLOSE_PATH}/:day/close`, async (pageRequest) => {
    const day = pageRequest.req.param('day');
    const { reason } = await pageRequest.req.parseBody();
    if (!isDay(day)) return missing(pageRequest, `${day} is not a date.`);
    const back = `${CLOSE_PATH}/${day}`;
    return perform(pageRequest, {
      ...closeCall(day),
      body: { reason },
      done: `${day} is closed.`,
      back,
    });
  });
  app.post(`${CLOSE_PATH}/:day/sign`, async (pageRequest) => {
    const day = pageRequest.req.param('day');
    const { role: asked, reason, reportHash } = await pageRequest.req.parseBody();
    const role = SIGNATURE_ROLES.find((one) => one === asked);
    if (!isDay(day) || role === undefined)
      return missing(pageRequest, `${day} has no such signature.`);
    const before = (await reads.closedDay(day))?.signatures ?? [];
    const person = pageRequest.get('visitor')?.name;
    return perform(pageRequest, {
      ...signCall(day),
      body: { role, reason, reportHash },
      done: signedText(day, { role, person }, before),
      back: `${CLOSE_PATH}/${day}`,
    });
  });
}

/** `/console/close`: the calendar, each day, its signatures and documents. */
export function mountClose(
  app: Hono<ConsoleEnv>,
  context: ConsoleContext,
  { nextDueAt }: Pick<DayCloses, 'nextDueAt'>,
): void {
  const { reads, now, timezone, show, missing, may } = context;
  const nextCloseAt = async (): Promise<number> => nextDueAt(await reads.firstRecordedAt());
  mountDayMovements(app, context);
  mountDocuments(app, context);
  mountActions(app, context);
  app.get(CLOSE_PATH, async (pageRequest) => {
    const month = await readMonth(reads, pageRequest.req.query('month'), { now: now(), timezone });
    const mayClose = may(pageRequest, closeCall(`${month.month}-01`));
    const body = <CalendarPage {...{ month, mayClose, nextCloseAt: await nextCloseAt() }} />;
    return show(pageRequest, { title: 'Close', body });
  });
  app.get(`${CLOSE_PATH}/:day`, async (pageRequest) => {
    const day = pageRequest.req.param('day');
    if (!isDay(day)) return missing(pageRequest, `${day} is not a date.`);
    const found = await readDayReport(reads, day);
    if (found === undefined) {
      const unclosed = await readUnclosedDay(reads, day, { now: now(), timezone });
      const mayClose = may(pageRequest, closeCall(day));
      const shown = { day, ...unclosed, mayClose, nextCloseAt: await nextCloseAt() };
      const body = <UnclosedDayPage {...shown} />;
      return show(pageRequest, { title: day, body });
    }
    const { close, signatures } = found;
    const signing = {
      day,
      reportHash: close.reportHash,
      signatures,
      person: pageRequest.get('visitor')?.name,
      maySign: may(pageRequest, signCall(day)),
    };
    const asked = askedDay(day, pageRequest.req.query());
    const breaksNow = await readBreaksNow(reads, found.report, asked);
    const critical = await readCriticalBreaks(reads, found.report.openBreaks);
    const body = <DayPage day={found} {...{ signing, asked, breaksNow, critical }} />;
    return show(pageRequest, { title: `Day ${day}`, body });
  });
}
