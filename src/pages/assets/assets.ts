import type { Env, Hono } from 'hono';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Parts of the stylesheet, in order: a later rule wins over an earlier one. */
const STYLES = [
  'colours',
  'frame',
  'parts',
  'forms',
  'widths',
  'overview',
  'close',
  'policy',
  'breaks',
  'deposits',
  'print',
] as const;
const STYLESHEET = 'pages.css';

/** The files of all pages. Pages load nothing from elsewhere. */
const OWN = [
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

function fileOf(path: string): Buffer {
  return readFileSync(new URL(`./browser/${path}`, import.meta.url));
}

function read(): Asset[] {
  const morph = createRequire(import.meta.url).resolve('idiomorph/dist/idiomorph.min.js');
  const styles = STYLES.map((name) => fileOf(`styles/${name}.css`));
  return [
    // One request: a browser draws nothing before it has the whole stylesheet.
    { name: STYLESHEET, bytes: new Uint8Array(Buffer.concat(styles)) },
    ...OWN.map((name) => ({ name, bytes: new Uint8Array(fileOf(name)) })),
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
    stylesheet: `${folder}/${STYLESHEET}`,
    icon: `${folder}/icon.svg`,
    scripts: [{ url: `${folder}/${MORPH}` }, { url: `${folder}/pages.js`, type: 'module' }],
  };
}
