import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CoreApp } from './request/pipeline.ts';

/**
 * Files of the swagger-ui-dist package that the page loads. It loads nothing from other servers.
 */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Custody core API</title>
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
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null });\n`;

/** Adds `GET /openapi.json` (OpenAPI 3.1) and the pages of `/docs`. */
export function mountDocumentation(app: CoreApp, security: string): void {
  app.get('/openapi.json', (context) =>
    context.json(
      app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Custody Vault Service (simulated core)',
          version: '1',
          description: 'Vaults, transactions and webhook subscriptions of the custody service.',
        },
        security: [{ [security]: [] }],
      }),
    ),
  );
  app.get('/docs', (context) => context.html(PAGE));
  app.get('/docs/start.js', (context) =>
    context.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const [file, contentType] of Object.entries(ASSETS)) {
    app.get(`/docs/${file}`, async (context) => {
      const bytes = await readFile(join(folder, file));
      return context.body(bytes, 200, { 'Content-Type': contentType });
    });
  }
}
