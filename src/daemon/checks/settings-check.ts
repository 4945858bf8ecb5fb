import type { Config } from '../../ops/config/config.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** Checks the webhook URL's path token. With a wrong token the daemon answers 404 to every webhook. */
export function checkWebhookUrl({ intake }: Pick<Config, 'intake'>, webhookUrl: string): Diagnosis {
  const token = /\/hooks\/([^/]+)$/.exec(new URL(webhookUrl).pathname)?.[1];
  if (token !== undefined && intake.pathTokens.includes(token)) {
    return ok('webhook URL', 'it ends with one of intake.pathTokens');
  }
  return warning(
    'webhook URL',
    'custody.webhookUrl does not end with /hooks/ and one of intake.pathTokens, so the daemon answers 404 to every webhook. Unless your proxy rewrites the path, correct custody.webhookUrl, then run `counterfoil subscribe`',
  );
}

/** Whether anybody can use the API and the console's actions. */
export function checkTokens(config: Config): Diagnosis {
  const { tokens } = config.api;
  return tokens.length > 0
    ? ok('API tokens', tokens.map((token) => `${token.name} (${token.role})`).join(', '))
    : warning(
        'API tokens',
        'there are none: nobody can use /v1; make one with `counterfoil keygen --token --out NAME`',
      );
}
