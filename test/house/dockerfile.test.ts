import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import build from '../../rolldown.config.ts';
import { MAIN } from '../e2e/program.ts';
import { imageFaults, instructionsOf, isIgnored } from './image.ts';
import type { ImageSources } from './image.ts';
import { REPOSITORY } from './source.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

const manifest = z
  .object({
    bin: z.object({ counterfoil: z.string() }),
    files: z.array(z.string()),
    engines: z.object({ node: z.string() }),
    scripts: z.object({ build: z.string() }),
  })
  .parse(JSON.parse(read('package.json')));

const around: ImageSources = {
  dockerfile: read('Dockerfile'),
  dockerignore: read('.dockerignore'),
  guide: read('docs/how-to/run-in-docker.md'),
  engine: manifest.engines.node,
  program: manifest.bin.counterfoil,
  port: z
    .object({ listen: z.object({ port: z.int() }) })
    .parse(JSON.parse(read('config/default.json'))).listen.port,
  exists: (path) => existsSync(join(REPOSITORY, path)),
};

const instructions = instructionsOf(around.dockerfile);
const last = (keyword: string) => instructions.findLast((one) => one.keyword === keyword)?.rest;

test('the image has no fault that can be seen without building it', () => {
  expect(imageFaults(around)).toEqual([]);
});

test('the image starts what the build produces', () => {
  expect(build).toMatchObject({ output: { dir: 'dist', entryFileNames: '[name].js' } });
  expect(build.input).toHaveProperty('main');
  expect(manifest.scripts.build).toContain('rolldown -c');
  // The build takes the place of the one before when it is complete.
  const built = around.program.replace(/^dist\//, 'dist.new/');
  expect(manifest.scripts.build).toContain(`chmod +x ${built} && rm -rf dist && mv dist.new dist`);
  expect(around.program).toBe('dist/main.js');
  expect(around.exists('src/main.ts')).toBe(true);
  expect(last('CMD')).toBe('["serve", "--config", "/etc/counterfoil/config.json"]');
});

test('the program takes the command of the image, which names the configuration', () => {
  const command = z.array(z.string()).parse(JSON.parse(last('CMD') ?? '[]'));
  const { stderr } = spawnSync(process.execPath, [MAIN, ...command], { encoding: 'utf8' });
  expect(stderr).toContain('/etc/counterfoil/config.json');
  expect(stderr).not.toContain('unknown option');
});

test('the last stage copies from the build stage what it needs, and nothing else', () => {
  const taken = instructions.filter(({ rest }) => rest.startsWith('--from='));
  expect(taken.map(({ rest }) => rest)).toEqual([
    '--from=build /app/node_modules ./node_modules',
    '--from=build /app/dist ./dist',
  ]);
  expect(instructions[0]?.rest).toMatch(/ AS build$/);
});

test('the image holds everything that the package publishes', () => {
  const final = instructions.filter(({ keyword, stage }) => keyword === 'COPY' && stage === 1);
  const held = final.flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  const names = held.map((path) => path.replace('/app/', ''));
  expect(manifest.files.length).toBeGreaterThan(0);
  expect(names).toEqual(expect.arrayContaining(manifest.files));
});

test.for([
  { answer: 200, exit: 0 },
  { answer: 503, exit: 1 },
  { answer: undefined, exit: 1 },
])('the health check ends with $exit when /healthz answers $answer', async ({ answer, exit }) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(answer ?? 500).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  if (answer === undefined) server.close();
  const command = z
    .tuple([z.literal('node'), z.literal('-e'), z.string()])
    .parse(JSON.parse(/CMD (\[.*\])$/.exec(last('HEALTHCHECK') ?? '')?.[1] ?? '[]'));
  const child = spawn(process.execPath, ['-e', command[2].replace(`:${around.port}`, `:${port}`)]);
  await once(child, 'exit');
  server.close();
  expect(child.exitCode).toBe(exit);
  expect(asked).toEqual(answer === undefined ? [] : ['/healthz']);
});

const FAULTY: [what: string, change: Partial<ImageSources>, fault: RegExp][] = [
  ['an empty Dockerfile', { dockerfile: '# nothing\n' }, /nothing was read/],
  ['a missing source', { exists: (path) => path !== 'LICENSE' }, /^COPY LICENSE: there is no/],
  [
    'an ignored source',
    { dockerignore: `${around.dockerignore}\nsrc\n` },
    /^COPY src: .dockerignore/,
  ],
  [
    'a Node between those that fit',
    { dockerfile: around.dockerfile.replaceAll('node:22', 'node:24') },
    /^FROM node:24-bookworm-slim: engines asks for /,
  ],
  ['an older Node', { engine: '>=26.1' }, /^FROM node:22-bookworm-slim: engines asks for >=26.1$/],
  [
    'a Node without support',
    { dockerfile: around.dockerfile.replaceAll('node:22', 'node:20') },
    /^FROM node:20-bookworm-slim: not a supported release of Node$/,
  ],
  [
    'a stage with another system than the one that compiles',
    { dockerfile: around.dockerfile.replace(/bookworm-slim AS/, 'trixie-slim AS') },
    /^FROM node:22-bookworm-slim: modules are compiled for node:22-trixie-slim$/,
  ],
  [
    'a build in another folder',
    { dockerfile: around.dockerfile.replace('WORKDIR /app', 'WORKDIR /build') },
    /^COPY --from=build \/app\/dist .\/dist: the build is in \/build$/,
  ],
  [
    'a guide with another port',
    { guide: around.guide.replace(':8080:8080', ':8080:9090') },
    /^docker run --publish 9090: EXPOSE 8080$/,
  ],
  [
    'a guide with another volume',
    { guide: around.guide.replaceAll('counterfoil-data:/data', 'counterfoil-data:/srv') },
    /^docker run: no --volume for \/data$/,
  ],
  [
    'a guide that mounts what the image has not',
    { guide: around.guide.replace('counterfoil-data:/data', 'counterfoil-data:/srv') },
    /^docker run --volume \/srv: the image has no such folder$/,
  ],
  [
    'a guide without a command',
    { guide: '# Run it in Docker\n' },
    /^docker run: the guide has none$/,
  ],
  [
    "the receivers' secrets in the image",
    { dockerignore: around.dockerignore.replace('**/*.env\n', '') },
    /^config\/receivers\/receivers.env: .dockerignore lets/,
  ],
  [
    'packages of the simulated core',
    { dockerfile: around.dockerfile.replace(' --omit=optional', '') },
    /^npm prune without --omit=optional: /,
  ],
  ['root', { dockerfile: around.dockerfile.replace('USER node', 'USER root') }, /^USER root/],
  ['no user', { dockerfile: around.dockerfile.replace('USER node', '') }, /^USER root/],
  [
    'a user of an earlier stage only',
    { dockerfile: `FROM node:20 AS a\nUSER node\n${around.dockerfile.replace('USER node', '')}` },
    /^USER root/,
  ],
  [
    'another program',
    { program: 'dist/cli.js' },
    /^ENTRYPOINT .*expected \["node", "dist\/cli.js"\]/,
  ],
  ['another port of the daemon', { port: 9_090 }, /^EXPOSE 8080: no 9090$/],
  [
    'a check of another port',
    { dockerfile: around.dockerfile.replace('127.0.0.1:8080', '127.0.0.1:9090') },
    /^HEALTHCHECK .*: no http:\/\/127.0.0.1:8080\/healthz$/,
  ],
  [
    'a store in the container',
    { dockerfile: around.dockerfile.replace('VOLUME /data', '') },
    /^VOLUME \(none\)/,
  ],
  [
    'a volume that root owns',
    { dockerfile: around.dockerfile.replace('VOLUME /data', 'VOLUME /var/lib/data') },
    /^VOLUME \/var\/lib\/data: node cannot write there$/,
  ],
  [
    'a secret in a layer',
    { dockerfile: `${around.dockerfile}ENV API_TOKEN=x\n` },
    /^ENV API_TOKEN=x: a secret/,
  ],
  [
    'an open context',
    { dockerignore: 'node_modules\n' },
    /^config\/client.pem: .dockerignore lets/,
  ],
];

test.for(FAULTY)('%s is a fault', ([, change, fault]) => {
  expect(imageFaults({ ...around, ...change })).toContainEqual(expect.stringMatching(fault));
});

test.for([
  ['a/b.pem', '**/*.pem', true],
  ['b.pem', '**/*.pem', true],
  ['a/b.pem', '*.pem', false],
  ['src/main.ts', '*\n!src', false],
  ['src/.env', '*\n!src\n**/.env*', true],
  ['other/main.ts', '*\n!src', true],
  ['data/x', '# data\n', false],
] as const)('%s under %j is ignored: %s', ([path, patterns, ignored]) => {
  expect(isIgnored(path, patterns)).toBe(ignored);
});
