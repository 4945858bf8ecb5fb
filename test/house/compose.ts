import { posix } from 'node:path';
import { z } from 'zod';
import type { Instruction } from './image.ts';

/** Ports from here on need no right; below, a container needs this setting of the kernel. */
const PORT_START = 'net.ipv4.ip_unprivileged_port_start';

const Service = z.strictObject({
  build: z.string().optional(),
  image: z.string(),
  restart: z.string(),
  env_file: z.string().optional(),
  stop_grace_period: z.string().optional(),
  ports: z.array(z.string()).default([]),
  sysctls: z.strictObject({ [PORT_START]: z.int() }).optional(),
  networks: z.strictObject({ default: z.strictObject({ ipv4_address: z.string() }) }),
  volumes: z.array(z.string()),
});
type Service = z.output<typeof Service>;

/** The members of a compose file that this house uses; another needs a check of its own. */
export const Compose = z.strictObject({
  services: z.record(z.string(), Service),
  networks: z.strictObject({
    default: z.strictObject({
      ipam: z.strictObject({ config: z.tuple([z.strictObject({ subnet: z.string() })]) }),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});

/** What a compose file is judged by. */
export interface ComposeSources {
  /** Its folder from the repository's root. */
  readonly folder: string;
  readonly compose: z.output<typeof Compose>;
  /** Of the last stage of the Dockerfile. */
  readonly image: readonly Instruction[];
  /** The guide that says how to start it. */
  readonly guide: string;
  /** The configuration of HAProxy that the guide makes. */
  readonly proxy: string;
  /** The configuration that the guide makes, by its path; undefined for other files. */
  readonly configOf: (path: string) => ReceiverConfig | undefined;
  /** Whether the repository or the commands of the guide bring a file, by its path from the root. */
  readonly exists: (path: string) => boolean;
}

/** What the network of the containers has to agree with. */
export const ReceiverConfig = z.object({
  listen: z.object({ host: z.string(), port: z.int() }),
  receiver: z.object({ url: z.string(), replica: z.string() }),
  intake: z.object({ clientCertificate: z.object({ from: z.array(z.string()) }) }),
});
type ReceiverConfig = z.output<typeof ReceiverConfig>;

/** The daemon stops within 9 s. */
const STOP_SECONDS_MIN = 10;

interface Mount {
  readonly source: string;
  readonly target: string;
}

const mountsOf = ({ volumes }: Service): Mount[] =>
  volumes.map((text) => {
    const [source = '', target = ''] = text.split(':');
    return { source, target };
  });

const isFile = ({ source }: Mount): boolean => source.startsWith('.') || source.startsWith('/');

const addressOf = ({ networks }: Service): string => networks.default.ipv4_address;

function restOf(image: readonly Instruction[], keyword: string): string {
  return image.findLast((one) => one.keyword === keyword)?.rest ?? '';
}

function fileFaults(service: Service, { folder, exists, guide }: ComposeSources): string[] {
  const { build, env_file: variables } = service;
  const dockerfile = build === undefined ? [] : [posix.join(folder, build, 'Dockerfile')];
  const mounted = mountsOf(service)
    .filter(isFile)
    .map(({ source }) => source);
  const named = variables === undefined ? mounted : [...mounted, variables];
  const unknown = named.filter(
    (path) => !exists(posix.join(folder, path)) && !guide.includes(`\`${posix.normalize(path)}`),
  );
  return [
    ...dockerfile.filter((path) => !exists(path)).map((path) => `build: there is no ${path}`),
    ...unknown.map((path) => `${path}: nobody makes it`),
  ];
}

/** The image's command, its volume and its health check must find what the service gives them. */
function receiverFaults(name: string, service: Service, around: ComposeSources): string[] {
  const mounts = mountsOf(service);
  const command = z.array(z.string()).parse(JSON.parse(restOf(around.image, 'CMD')));
  const file = command[command.indexOf('--config') + 1];
  const source = mounts.find(({ target }) => target === file)?.source;
  const config = source === undefined ? undefined : around.configOf(source);
  if (config === undefined) return [`${file}: is not mounted`];
  const { listen, receiver, intake } = config;
  const [exposed, volume] = [restOf(around.image, 'EXPOSE'), restOf(around.image, 'VOLUME')];
  const seconds = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '')?.[1] ?? 0);
  const address = `${addressOf(service)}:${listen.port}`;
  const proxies = Object.values(around.compose.services).filter(({ ports }) => ports.length > 0);
  return [
    ...(`${listen.host}:${listen.port}` === `0.0.0.0:${exposed}`
      ? []
      : [`${source}: the health check asks port ${exposed}`]),
    ...(mounts.some((mount) => mount.target === volume && !isFile(mount))
      ? []
      : [`${volume}: is no named volume`]),
    ...(posix.dirname(receiver.replica) === volume
      ? []
      : [`${receiver.replica}: is not in ${volume}`]),
    ...(receiver.url === `http://${name}:${listen.port}`
      ? []
      : [`${receiver.url}: the other receiver does not find it`]),
    ...(seconds >= STOP_SECONDS_MIN ? [] : ['stop_grace_period: the daemon needs 10s']),
    ...(around.proxy.includes(`${address}\n`) ? [] : [`${address}: HAProxy does not know it`]),
    ...proxies
      .filter((proxy) => !intake.clientCertificate.from.includes(addressOf(proxy)))
      .map((proxy) => `${source}: refuses the proxy at ${addressOf(proxy)}`),
  ];
}

function portFaults({ ports, sysctls }: Service, { guide, proxy }: ComposeSources): string[] {
  return ports.flatMap((text) => {
    const [published = '', target = ''] = text.split(':');
    return [
      ...(new RegExp(`port ${published}\\b`).test(guide)
        ? []
        : [`${text}: the guide does not name it`]),
      ...(new RegExp(`bind :${target} `).test(proxy)
        ? []
        : [`${text}: HAProxy does not listen there`]),
      ...(Number(target) >= (sysctls?.[PORT_START] ?? 1024)
        ? []
        : [`${text}: HAProxy’s user may not listen there`]),
    ];
  });
}

function networkFaults({ services, networks, volumes }: ComposeSources['compose']): string[] {
  const [{ subnet }] = networks.default.ipam.config;
  const within = subnet.replace(/\d+\/24$/, '');
  const all = Object.values(services);
  const addresses = all.map(addressOf);
  const used = all.flatMap(mountsOf).filter((mount) => !isFile(mount));
  return [
    ...addresses
      .filter((address) => !subnet.endsWith('.0/24') || !address.startsWith(within))
      .map((address) => `${address}: is not in ${subnet}`),
    ...addresses
      .filter((address, index) => addresses.indexOf(address) !== index)
      .map((address) => `${address}: two services have it`),
    ...used
      .filter(({ source }) => !(source in volumes))
      .map(({ source }) => `${source}: no such volume is declared`),
    ...used
      .filter(({ source }, index) => used.findIndex((one) => one.source === source) !== index)
      .map(({ source }) => `${source}: two services write to it`),
  ];
}

function imageFaults({ build, image }: Service): string[] {
  if (build !== undefined || /:[\d.]+$/.test(image)) return [];
  return [`${image}: names no release`];
}

/** What can be told about a compose file without an engine; an empty list is a good file. */
export function composeFaults(around: ComposeSources): string[] {
  const services = Object.entries(around.compose.services);
  const own = services.flatMap(([name, service]) =>
    [
      ...imageFaults(service),
      ...fileFaults(service, around),
      ...(service.build === undefined ? [] : receiverFaults(name, service, around)),
      ...portFaults(service, around),
    ].map((fault) => `${name}: ${fault}`),
  );
  return [...own, ...networkFaults(around.compose)];
}
