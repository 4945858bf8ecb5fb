import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

/*
 * Envoy is not in Debian, so no test starts it. The schemas are the parts of Envoy's v3 API that the
 * example uses: a misspelt key, or one at the wrong level, is refused as Envoy refuses it.
 */

const seconds = z.string().regex(/^[0-9]+s$/);

const typed = <Fields extends z.ZodRawShape>(type: string, fields: Fields) =>
  z.strictObject({ '@type': z.literal(`type.googleapis.com/envoy.${type}`), ...fields });

const extension = <Config extends z.ZodType>(name: string, config: Config) =>
  z.strictObject({ name: z.literal(`envoy.${name}`), typed_config: config });

const file = z.strictObject({ filename: z.string().startsWith('/etc/envoy/tls/') });

const tls = extension(
  'transport_sockets.tls',
  typed('extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
    require_client_certificate: z.literal(true),
    disable_stateless_session_resumption: z.literal(true),
    common_tls_context: z.strictObject({
      alpn_protocols: z.tuple([z.literal('http/1.1')]),
      tls_params: z.strictObject({
        tls_minimum_protocol_version: z.literal('TLSv1_2'),
        tls_maximum_protocol_version: z.literal('TLSv1_3'),
      }),
      tls_certificates: z.tuple([z.strictObject({ certificate_chain: file, private_key: file })]),
      validation_context: z.strictObject({
        trusted_ca: file,
        allow_expired_certificate: z.literal(false),
      }),
    }),
  }),
);

const hook = z.strictObject({
  match: z.strictObject({
    safe_regex: z.strictObject({ regex: z.string() }),
    headers: z.tuple([
      z.strictObject({
        name: z.literal(':method'),
        string_match: z.strictObject({ exact: z.literal('POST') }),
      }),
    ]),
  }),
  route: z.strictObject({ cluster: z.literal('counterfoil'), timeout: seconds }),
});

const elsewhere = z.strictObject({
  match: z.strictObject({ prefix: z.literal('/') }),
  direct_response: z.strictObject({ status: z.literal(404) }),
});

const accessLog = extension(
  'access_loggers.stdout',
  typed('extensions.access_loggers.stream.v3.StdoutAccessLog', {
    log_format: z.strictObject({
      text_format_source: z.strictObject({ inline_string: z.string() }),
    }),
  }),
);

const manager = extension(
  'filters.network.http_connection_manager',
  typed('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: z.string(),
    codec_type: z.literal('HTTP1'),
    forward_client_cert_details: z.literal('SANITIZE_SET'),
    set_current_client_cert_details: z.strictObject({ cert: z.literal(true) }),
    normalize_path: z.literal(false),
    merge_slashes: z.literal(false),
    path_with_escaped_slashes_action: z.literal('REJECT_REQUEST'),
    common_http_protocol_options: z.strictObject({
      idle_timeout: seconds,
      headers_with_underscores_action: z.literal('REJECT_REQUEST'),
    }),
    request_headers_timeout: seconds,
    request_timeout: seconds,
    access_log: z.tuple([accessLog]),
    http_filters: z.tuple([
      extension(
        'filters.http.buffer',
        typed('extensions.filters.http.buffer.v3.Buffer', { max_request_bytes: z.int() }),
      ),
      extension('filters.http.router', typed('extensions.filters.http.router.v3.Router', {})),
    ]),
    route_config: z.strictObject({
      name: z.string(),
      request_headers_to_remove: z.array(z.string()),
      virtual_hosts: z.tuple([
        z.strictObject({
          name: z.string(),
          domains: z.tuple([z.literal('*')]),
          routes: z.tuple([hook, elsewhere]),
        }),
      ]),
    }),
  }),
);

const listener = z.strictObject({
  name: z.string(),
  address: z.strictObject({
    socket_address: z.strictObject({ address: z.string(), port_value: z.literal(443) }),
  }),
  listener_filters: z.tuple([
    extension(
      'filters.listener.tls_inspector',
      typed('extensions.filters.listener.tls_inspector.v3.TlsInspector', {}),
    ),
  ]),
  filter_chains: z.tuple([
    z.strictObject({
      transport_socket_connect_timeout: seconds,
      transport_socket: tls,
      filters: z.tuple([manager]),
    }),
  ]),
});

const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const cluster = z.strictObject({
  name: z.literal('counterfoil'),
  type: z.literal('STATIC'),
  connect_timeout: seconds,
  typed_extension_protocol_options: z.strictObject({
    [HTTP_OPTIONS]: typed('extensions.upstreams.http.v3.HttpProtocolOptions', {
      common_http_protocol_options: z.strictObject({ idle_timeout: seconds }),
      explicit_http_config: z.strictObject({ http_protocol_options: z.strictObject({}) }),
    }),
  }),
  load_assignment: z.strictObject({
    cluster_name: z.literal('counterfoil'),
    endpoints: z.tuple([
      z.strictObject({
        lb_endpoints: z.tuple([
          z.strictObject({
            endpoint: z.strictObject({
              address: z.strictObject({ pipe: z.strictObject({ path: z.string() }) }),
            }),
          }),
        ]),
      }),
    ]),
  }),
});

const bootstrap = z.strictObject({
  static_resources: z.strictObject({
    listeners: z.tuple([listener]),
    clusters: z.tuple([cluster]),
  }),
});

const text = readFileSync(new URL('../../../config/proxy/envoy.yaml', import.meta.url), 'utf8');

function example() {
  const { listeners, clusters } = bootstrap.parse(parse(text)).static_resources;
  const [{ filters, ...chain }] = listeners[0].filter_chains;
  return { upstream: clusters[0], chain, http: filters[0].typed_config };
}

test('the example of Envoy has the shape of its API', () => {
  expect(() => example()).not.toThrow();
  const misspelt = text.replace('require_client_certificate', 'requires_client_certificate');
  expect(() => bootstrap.parse(parse(misspelt))).toThrow('requires_client_certificate');
});

test('it opens one spelling of the path, and writes no path into its log', () => {
  const { http } = example();
  const [opened] = http.route_config.virtual_hosts[0].routes;
  // Envoy matches the whole path, without the query.
  const path = new RegExp(`^(?:${opened.match.safe_regex.regex})$`);
  expect(path.test(`/hooks/${'a'.repeat(32)}`)).toBe(true);
  for (const odd of ['/hooks/short', '//hooks/', '/%68ooks/', '/hooks/../', '/metrics/']) {
    expect([odd, path.test(`${odd}${'a'.repeat(25)}`)]).toEqual([odd, false]);
  }
  const [log] = http.access_log;
  const line = log.typed_config.log_format.text_format_source.inline_string;
  expect(line).toContain('%RESPONSE_CODE%');
  expect(line).not.toMatch(/PATH|REQ\(|REQUEST_HEADER|METHOD/);
});

test('it bounds bodies and time below those of the custody service and of the daemon', () => {
  const { http, upstream, chain } = example();
  const [opened] = http.route_config.virtual_hosts[0].routes;
  const whole = [http.request_headers_timeout, http.request_timeout, opened.route.timeout];
  for (const limit of [...whole, chain.transport_socket_connect_timeout]) {
    expect(Number.parseInt(limit, 10)).toBeLessThan(10);
  }
  expect(http.http_filters[0].typed_config.max_request_bytes).toBeGreaterThan(1_048_576);
  const options = upstream.typed_extension_protocol_options[HTTP_OPTIONS];
  expect(options?.common_http_protocol_options.idle_timeout).toBe('60s');
});

test('it removes every other header that can carry a certificate', () => {
  expect(example().http.route_config.request_headers_to_remove.toSorted()).toEqual([
    'client-cert',
    'client-cert-chain',
    'x-client-certificate',
    'x-client-certificate-der',
  ]);
});
