import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';

/** A report runs and loads nothing; its style is inline. */
const REPORT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The report of a closed day, as the sealed document shows it. */
export function mountReport(app: Hono<ConsoleEnv>, { document, missing }: ConsoleContext): void {
  app.get('/console/reports/:day', async (pageRequest) => {
    const day = pageRequest.req.param('day');
    const report = await document(day, 'html');
    if (report === undefined) return missing(pageRequest, `The day ${day} is not closed.`);
    const { body, contentType } = report;
    return pageRequest.body(body, 200, {
      'Content-Security-Policy': REPORT_POLICY,
      'Content-Type': contentType,
    });
  });
}
