import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/**
 * The build: `src/` and what it imports from node_modules become fewer than a hundred files in `dist/`. Node
 * then starts in half the time and needs few files open at once. Types are checked by
 * `npm run check:types`.
 */
const SOURCE = join(import.meta.dirname, 'src');

/** Tests and the bench load these from `dist/` by name, beside the threads that start from there. */
const LOADED_BY_TESTS = [
  'custody/budget/budget.ts',
  'custody/budget/shared-request-log.ts',
  'daemon/reading/pace.ts',
  'daemon/reading/threaded-reads.ts',
  'intake/decode.ts',
  'store/sqlite/file/database.ts',
  'store/sqlite/sqlite-ledger.ts',
];

/** Stands for the way from a built file to `dist/`. */
const TO_DIST = '@to-dist/';

/** The file of a worker thread, as the thread that starts it names it. */
const WORKER = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g;

function workersOf(file: string): string[] {
  const folder = join(SOURCE, file, '..');
  const text = readFileSync(join(SOURCE, file), 'utf8');
  return [...text.matchAll(WORKER)].map(([, name]) => relative(SOURCE, join(folder, `${name}.ts`)));
}

function entries(): Record<string, string> {
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const workers = sources.filter((file) => /\.tsx?$/.test(file)).flatMap(workersOf);
  const files = ['main.ts', ...workers, ...LOADED_BY_TESTS];
  return Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), join(SOURCE, file)]));
}

/**
 * A module is built into another folder than its own. So `import.meta.url` becomes the address that
 * the module would have if `dist/` had the folders of `src/`. No line moves: source maps stay right.
 */
const originalAddress: Plugin = {
  name: 'original-address',
  transform(code, id) {
    if (!id.startsWith(SOURCE + sep) || !code.includes('import.meta.url')) return null;
    const address = TO_DIST + relative(SOURCE, id).replace(/\.tsx?$/, '.js');
    const built = code.replaceAll('import.meta.url', `new URL('${address}', import.meta.url)`);
    return { code: built, map: null };
  },
  renderChunk(code, chunk) {
    if (!code.includes(TO_DIST)) return null;
    const toDist = '../'.repeat(chunk.fileName.split('/').length - 1);
    return { code: code.replaceAll(TO_DIST, `./${toDist}`), map: null };
  },
};

/** Packages that are not built in: native code, and what a production install may leave out. */
function external(): string[] {
  const { optionalDependencies = {} } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
  ) as { optionalDependencies?: Record<string, string> };
  return ['better-sqlite3', ...Object.keys(optionalDependencies)];
}

export default defineConfig({
  input: entries(),
  platform: 'node',
  tsconfig: false,
  transform: { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } },
  external: external().map((name) => new RegExp(`^${name}(/|$)`)),
  plugins: [originalAddress],
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});
