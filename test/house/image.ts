/** One instruction of a Dockerfile, its continued lines joined. `stage` counts from 0. */
export interface Instruction {
  readonly keyword: string;
  readonly rest: string;
  readonly stage: number;
}

/** What the image is judged by. `exists` answers for a path from the repository's root. */
export interface ImageSources {
  readonly dockerfile: string;
  readonly dockerignore: string;
  /** The page that says how to run the image. */
  readonly guide: string;
  /** `engines.node` of package.json. */
  readonly engine: string;
  /** The program that `npm run build` produces. */
  readonly program: string;
  /** The port on which the daemon listens unless its configuration says otherwise. */
  readonly port: number;
  readonly exists: (path: string) => boolean;
}

/** Files that must never reach a layer, though each lies where a COPY could pick it up. */
const SECRETS = [
  '.env',
  'config/.env.production',
  'config/client.pem',
  'config/receivers/receivers.env',
  'config/receivers/tls/server.pem',
  'src/vault.key',
  '.npmrc',
];
const STATE = ['data/books.sqlite', 'config/books.sqlite-wal', '.git/config', 'node_modules/zod'];

export function instructionsOf(dockerfile: string): Instruction[] {
  let stage = -1;
  return dockerfile
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [keyword = '', ...words] = line.trim().split(/\s+/);
      if (keyword.toUpperCase() === 'FROM') stage += 1;
      return { keyword: keyword.toUpperCase(), rest: words.join(' '), stage };
    });
}

/** Whether a path is kept out of the build context: the last pattern that fits it decides. */
export function isIgnored(path: string, dockerignore: string): boolean {
  const parts = path.split('/');
  const trail = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  let ignored = false;
  for (const line of dockerignore.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const kept = line.startsWith('!');
    const pattern = line.replace(/^!/, '').replaceAll(/^\/|\/$/g, '');
    const source = pattern
      .split(/(\*\*\/|\*\*|\*|\?)/)
      .map((piece) => WILDCARDS[piece] ?? piece.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`))
      .join('');
    if (trail.some((one) => new RegExp(`^${source}$`).test(one))) ignored = !kept;
  }
  return ignored;
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

function copyFaults(instruction: Instruction, around: ImageSources): string[] {
  const words = instruction.rest.split(' ');
  if (words.some((word) => word.startsWith('--from='))) return [];
  const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
  return sources.flatMap((source) => {
    const path = source.replaceAll(/^\.\/|\/$/g, '');
    return [
      ...(around.exists(path) ? [] : [`COPY ${source}: there is no such file`]),
      ...(isIgnored(path, around.dockerignore)
        ? [`COPY ${source}: .dockerignore keeps it out`]
        : []),
    ];
  });
}

function majorOf(text: string): string | undefined {
  return /\d+/.exec(text)?.[0];
}

/** Releases of Node that get fixes for security: support for 20 ended in April 2026. */
const SUPPORTED = ['22', '24', '26'];

/** Whether `^20.1 || >=26` and the like allow some release of a major version. */
function allows(engine: string, major: number): boolean {
  return [...engine.matchAll(/(\^|>=)(\d+)/g)].some(([, sign, first]) =>
    sign === '^' ? major === Number(first) : major >= Number(first),
  );
}

function baseFaults(instructions: readonly Instruction[], engine: string): string[] {
  return instructions
    .filter(({ keyword }) => keyword === 'FROM')
    .map(({ rest }) => rest.split(' ')[0] ?? '')
    .flatMap((image) => {
      const major = majorOf(image.split(':')[1] ?? '') ?? '';
      if (!SUPPORTED.includes(major)) return [`FROM ${image}: not a supported release of Node`];
      return allows(engine, Number(major)) ? [] : [`FROM ${image}: engines asks for ${engine}`];
    });
}

/** better-sqlite3 is compiled in one stage for another: both must be the same system and Node. */
function stageFaults(instructions: readonly Instruction[]): string[] {
  const [first, ...others] = instructions
    .filter(({ keyword }) => keyword === 'FROM')
    .map(({ rest }) => rest.split(' ')[0] ?? '');
  const folders = instructions.filter(({ keyword }) => keyword === 'WORKDIR');
  const folderOf = (wanted: number): string | undefined =>
    folders.findLast(({ stage }) => stage === wanted)?.rest;
  return [
    ...others
      .filter((image) => image !== first)
      .map((image) => `FROM ${image}: modules are compiled for ${first}`),
    ...instructions
      .filter(({ rest }) => rest.startsWith('--from='))
      .filter(({ rest }) => !rest.split(' ')[1]?.startsWith(`${folderOf(0)}/`))
      .map(({ rest }) => `COPY ${rest}: the build is in ${folderOf(0)}`),
  ];
}

/** What the guide types must fit the image: its port, its volume, and the folder of its command. */
function guideFaults(final: readonly Instruction[], guide: string): string[] {
  const restOf = (wanted: string): string =>
    final.findLast(({ keyword }) => keyword === wanted)?.rest ?? '(none)';
  const folder = /"--config", "(.+)\/[^/]+"/.exec(restOf('CMD'))?.[1] ?? '(none)';
  const published = [...guide.matchAll(/--publish (?:[\d.]+:)?\d+:(\d+)/g)].map(([, port]) => port);
  const mounted = [...guide.matchAll(/--volume "?[^\s:"]+:([^\s:"]+)/g)].map(([, path]) => path);
  if (published.length === 0 || mounted.length === 0) return ['docker run: the guide has none'];
  return [
    ...published
      .filter((port) => port !== restOf('EXPOSE'))
      .map((port) => `docker run --publish ${port}: EXPOSE ${restOf('EXPOSE')}`),
    ...[restOf('VOLUME'), folder]
      .filter((path) => !mounted.includes(path))
      .map((path) => `docker run: no --volume for ${path}`),
    ...mounted
      .filter((path) => path !== restOf('VOLUME') && path !== folder)
      .map((path) => `docker run --volume ${path}: the image has no such folder`),
  ];
}

function packageFaults(instructions: readonly Instruction[]): string[] {
  const kept = instructions
    .filter(({ keyword, rest }) => keyword === 'RUN' && rest.includes('npm prune'))
    .at(-1)?.rest;
  return ['--omit=dev', '--omit=optional']
    .filter((option) => kept?.includes(option) !== true)
    .map((option) => `npm prune without ${option}: the image would hold packages it does not need`);
}

function userFaults(final: readonly Instruction[]): string[] {
  const user = final.findLast(({ keyword }) => keyword === 'USER')?.rest ?? 'root';
  return /^(root|0)(:|$)/.test(user) ? [`USER ${user}: the daemon would run as root`] : [];
}

function entryFaults(final: readonly Instruction[], program: string): string[] {
  const entry = final.findLast(({ keyword }) => keyword === 'ENTRYPOINT')?.rest;
  const expected = JSON.stringify(['node', program]).replaceAll(',', ', ');
  return entry === expected ? [] : [`ENTRYPOINT ${entry ?? '(none)'}: expected ${expected}`];
}

function portFaults(final: readonly Instruction[], port: number): string[] {
  const stated = { EXPOSE: `${port}`, HEALTHCHECK: `http://127.0.0.1:${port}/healthz` };
  return Object.entries(stated).flatMap(([wanted, text]) => {
    const rest = final.findLast(({ keyword }) => keyword === wanted)?.rest ?? '(none)';
    return rest === text || rest.includes(`'${text}'`) ? [] : [`${wanted} ${rest}: no ${text}`];
  });
}

function volumeFaults(final: readonly Instruction[]): string[] {
  const volumes = final.filter(({ keyword }) => keyword === 'VOLUME').map(({ rest }) => rest);
  const owned = final.filter(({ keyword }) => keyword === 'RUN').map(({ rest }) => rest);
  if (volumes.length === 0) return ['VOLUME (none): the store would be lost with the container'];
  return volumes
    .filter((volume) => !owned.some((run) => run.endsWith(`--owner=node --group=node ${volume}`)))
    .map((volume) => `VOLUME ${volume}: node cannot write there`);
}

function secretFaults(instructions: readonly Instruction[], dockerignore: string): string[] {
  const named = instructions
    .filter(({ keyword }) => keyword === 'ENV' || keyword === 'ARG')
    .filter(({ rest }) => /secret|token|password|passwd|private|credential|_key\b/i.test(rest))
    .map(({ keyword, rest }) => `${keyword} ${rest}: a secret in a layer`);
  const reachable = [...SECRETS, ...STATE]
    .filter((path) => !isIgnored(path, dockerignore))
    .map((path) => `${path}: .dockerignore lets it into the build context`);
  return [...named, ...reachable];
}

/** What can be told about the image without building it; an empty list is a good image. */
export function imageFaults(around: ImageSources): string[] {
  const instructions = instructionsOf(around.dockerfile);
  const last = instructions.at(-1)?.stage ?? -1;
  if (last < 0) return ['no stage: nothing was read'];
  const final = instructions.filter(({ stage }) => stage === last);
  return [
    ...baseFaults(instructions, around.engine),
    ...stageFaults(instructions),
    ...packageFaults(instructions),
    ...instructions
      .filter(({ keyword }) => keyword === 'COPY' || keyword === 'ADD')
      .flatMap((instruction) => copyFaults(instruction, around)),
    ...userFaults(final),
    ...entryFaults(final, around.program),
    ...portFaults(final, around.port),
    ...volumeFaults(final),
    ...guideFaults(final, around.guide),
    ...secretFaults(instructions, around.dockerignore),
  ];
}
