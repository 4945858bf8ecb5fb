import type { OpenAPIHono } from '@hono/zod-openapi';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BEARER, type ApiEnv } from './access.ts';

/** The parts of the swagger-ui-dist package for the page; it loads nothing from elsewhere. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterfoil API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// Without `validatorUrl: null` the page sends the document's address to a public validator.
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#ui',
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  showExtensions: true,
});
`;

/** Swagger UI sets style attributes and draws its icons from data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DESCRIPTION = `Books, deposits and the credit feed of a custody service's webhooks.

Amounts are decimal strings in the asset's smallest unit. Times are ISO 8601 in UTC. Lists are
\`{data, pagination}\`, \`page\` counted from 0. Errors are \`application/problem+json\` (RFC 9457),
with a \`detail\` that says what to do. Each call names the permission that it needs
(\`x-permission\`) and the roles that have it (\`x-roles\`).`;

function documentText(app: OpenAPIHono<ApiEnv>, version: string): string {
  return JSON.stringify(
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Counterfoil',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      // This daemon. Generators of clients want it named.
      servers: [{ url: '/' }],
      security: [{ [BEARER]: [] }],
    }),
  );
}

/** `GET /openapi.json` (OpenAPI 3.1) and the pages of `/docs`. */
export function mountDocumentation(app: OpenAPIHono<ApiEnv>, version: string): void {
  app.openAPIRegistry.registerComponent('securitySchemes', BEARER, {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of `api.tokens`, or one that an admin made at run time.',
  });
  // Built once: it takes 20 ms on the webhooks' thread, and anybody may ask.
  let document: string | undefined;
  app.get('/openapi.json', (context) => {
    document ??= documentText(app, version);
    return context.body(document, 200, { 'Content-Type': 'application/json' });
  });
  app.get('/docs', (context) => {
    context.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    return context.html(PAGE);
  });
  app.get('/docs/start.js', (context) =>
    context.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const [file, contentType] of Object.entries(ASSETS)) {
    app.get(`/docs/${file}`, async (context) => {
      const bytes = await readFile(join(folder, file));
      return context.body(bytes, 200, {
        'Content-Type': contentType,
        'Cache-Control': 'public, max-age=3600',
      });
    });
  }
}
