import type { Hono } from 'hono';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { fragment, type DaemonStatus } from './fragment.ts';
import { Snapshots } from './snapshot.ts';

/** `/console`: the state of everything on one page. */
export function mountOverview(
  app: Hono<ConsoleEnv>,
  { reads, now, show }: ConsoleContext,
  { status }: { readonly status: () => DaemonStatus },
): void {
  const snapshots = new Snapshots({ reads, now });
  app.get('/console', async (visit) => {
    const snapshot = await snapshots.latest();
    const body = (
      <div id="overview" data-live="intake deposits feed breaks close runs quarantine tick">
        {fragment(snapshot, status())}
      </div>
    );
    return show(visit, { title: 'Overview', body, reloads: true });
  });
}
