import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { needs, type ApiEnv } from './access.ts';
import { noQuery } from './paging.ts';
import { answers } from './problem.ts';
import type { Services, SettingsAnswer } from './services.ts';

const settingSchema = z.object({
  key: z.string().openapi({ example: 'reconcile.graceSeconds' }),
  value: z.string().openapi({ description: 'As JSON; of a secret only that it is set.' }),
});

const checkSchema = z.object({
  check: z.string(),
  status: z.enum({ ok: 'ok', warning: 'warning', problem: 'problem' }),
  detail: z.string().openapi({ description: 'The finding, with advice unless the status is ok.' }),
});

const settingsSchema = z
  .object({ settings: z.array(settingSchema), checks: z.array(checkSchema) })
  .openapi('Settings');

const getSettings = createRoute({
  method: 'get',
  path: '/v1/settings',
  operationId: 'getSettings',
  tags: ['Settings'],
  summary: 'The settings in force without secrets, and what the checks find now',
  ...needs('read-settings'),
  request: { query: noQuery },
  responses: answers({ description: 'Settings and checks', schema: settingsSchema }),
});

function view({ settings, checks }: SettingsAnswer): z.infer<typeof settingsSchema> {
  return {
    settings: settings.map(({ key, value }) => ({ key, value })),
    checks: checks.map(({ check, status, detail }) => ({ check, status, detail })),
  };
}

/** `GET /v1/settings` */
export function mountSettings(
  app: OpenAPIHono<ApiEnv>,
  { settings }: Pick<Services, 'settings'>,
): void {
  app.openapi(getSettings, async (context) => context.json(view(await settings()), 200));
}
