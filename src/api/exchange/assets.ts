import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { versionText } from '../../domain/fact/basis.ts';
import { decimalsParts } from '../../domain/fact/pinned-decimals.ts';
import { AssetId } from '../../domain/ids.ts';
import { needs, type ApiEnv } from '../access.ts';
import { basisText, versionField } from '../basis.ts';
import { recordDecision, reasonText } from './decision.ts';
import { given, noQuery } from '../paging.ts';
import { answers, notFound, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { isoTime, jsonBody, nameText, timeText } from '../formats.ts';

const tags = ['Assets'];
const path = '/v1/assets/{asset}/decimals';
const ASSET_CHARACTERS_MAX = 512;
const DECIMALS_MAX = 255;

const params = z.strictObject({
  asset: nameText(ASSET_CHARACTERS_MAX).openapi({
    description: 'The universal id.',
    example: 'ethereum:USDC',
  }),
});

const decimalsCount = z.int().min(0).max(DECIMALS_MAX);

const decimalsSchema = z
  .object({
    asset: z.string(),
    decimals: decimalsCount.openapi({ description: 'A deposit with other decimals is held.' }),
    changes: z
      .array(
        z.object({
          at: timeText,
          actor: z.string(),
          reason: z.string(),
          before: decimalsCount,
          after: decimalsCount,
        }),
      )
      .openapi({ description: 'Corrections by people, newest first.' }),
    version: versionField,
  })
  .openapi('AssetDecimals');

const answer = { description: 'The decimals of the asset', schema: decimalsSchema };

const getDecimals = createRoute({
  method: 'get',
  path,
  operationId: 'getAssetDecimals',
  tags,
  summary: 'The decimals of an asset: those of its first sighting, or as corrected',
  ...needs('read'),
  request: { params, query: noQuery },
  responses: answers(answer, ['not-found']),
});

const correctDecimals = createRoute({
  method: 'post',
  path,
  operationId: 'correctAssetDecimals',
  tags,
  summary: 'Correct the decimals of an asset; held deposits with these decimals continue',
  ...needs('correct-decimals'),
  request: {
    params,
    query: noQuery,
    body: jsonBody(
      z
        .strictObject({ decimals: decimalsCount, reason: reasonText, basis: basisText })
        .openapi('DecimalsCorrection'),
    ),
  },
  responses: answers(answer, WRITE_PROBLEMS),
});

/** The pinned decimals of assets, and their correction. */
export function mountAssets(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads, policy: tools } = services;
  const shown = async (asset: AssetId): Promise<z.infer<typeof decimalsSchema>> => {
    const decimals = (await reads.pinnedDecimals()).get(asset);
    if (decimals === undefined)
      throw notFound(`No notification has carried decimals of ${asset} yet.`);
    const changes = (await reads.decimalsCorrections(asset)).map((one) => ({
      at: isoTime(one.correctedAt),
      actor: one.actor,
      reason: one.reason,
      before: one.before,
      after: one.after,
    }));
    return { asset, decimals, changes, version: versionText(decimalsParts(decimals)) };
  };
  app.openapi(getDecimals, async (context) =>
    context.json(await shown(AssetId(context.req.valid('param').asset)), 200),
  );
  app.openapi(correctDecimals, async (context) => {
    const asset = AssetId(context.req.valid('param').asset);
    const decision = { kind: 'decimals', asset, ...given(context.req.valid('json')) } as const;
    const { kind } = await recordDecision(services, context.get('caller'), decision);
    if (kind === 'taken') tools.changed();
    return context.json(await shown(asset), 200);
  });
}
