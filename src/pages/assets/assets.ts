import type { Env, Hono } from 'hono';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** The files of all pages. Pages load nothing from elsewhere. */
const OWN = [
  'pages.css',
  'icon.svg',
  'pages.js',
  'choose.js',
  'live.js',
  'keyboard.js',
  'moments.js',
  'views.js',
] as const;
const MORPH = 'idiomorph.js';

/** The addresses of what a page loads, in this order. */
export interface AssetUrls {
  readonly stylesheet: string;
  readonly icon: string;
  readonly scripts: readonly { readonly url: string; readonly type?: 'module' }[];
}

interface Asset {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function read(): Asset[] {
  const morph = createRequire(import.meta.url).resolve('idiomorph/dist/idiomorph.min.js');
  return [
    ...OWN.map((name) => ({
      name,
      bytes: new Uint8Array(readFileSync(new URL(`./browser/${name}`, import.meta.url))),
    })),
    { name: MORPH, bytes: new Uint8Array(readFileSync(morph)) },
  ];
}

function digestOf(assets: readonly Asset[]): string {
  const hash = createHash('sha256');
  for (const { name, bytes } of assets) hash.update(name).update(bytes);
  return hash.digest('hex').slice(0, 16);
}

function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
}

/**
 * Serves stylesheet and scripts below `path`, in a folder that is named after their content, so
 * browsers keep them for ever. They hold no data, so they need no session.
 */
export function mountAssets<E extends Env>(app: Hono<E>, path: string): AssetUrls {
  const assets = read();
  const folder = `${path}/${digestOf(assets)}`;
  for (const { name, bytes } of assets) {
    app.get(`${folder}/${name}`, (context) =>
      context.body(bytes, 200, {
        'Content-Type': typeOf(name),
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
    );
  }
  return {
    stylesheet: `${folder}/pages.css`,
    icon: `${folder}/icon.svg`,
    scripts: [{ url: `${folder}/${MORPH}` }, { url: `${folder}/pages.js`, type: 'module' }],
  };
}
