/** What a proxy has to do, and the lines of its file that do it. */
const LINES = {
  certificate: {
    nginx: 'ssl_verify_client on',
    HAProxy: '`ca-file … verify required` on the bind line',
    Caddy: 'client_auth { mode require_and_verify }',
    Envoy: 'require_client_certificate: true',
  },
  headers: {
    nginx:
      'proxy_set_header X-Client-Certificate $ssl_client_escaped_cert, and the empty ones below',
    HAProxy: 'http-request del-header, before http-request set-header Client-Cert',
    Caddy: 'header_up -… and header_up Client-Cert',
    Envoy: 'forward_client_cert_details: SANITIZE_SET, and request_headers_to_remove',
  },
  path: {
    nginx: 'map $request_uri $is_hook, and `if ($is_hook = 0)`',
    HAProxy: 'acl is_hook, and http-request return status 404 if !is_hook',
    Caddy: '@hook { vars_regexp … }, and handle { respond 404 }',
    Envoy: 'safe_regex, and direct_response: { status: 404 }',
  },
  plain: {
    nginx: 'no `listen 80`',
    HAProxy: 'no `bind :80`',
    Caddy: 'auto_https disable_redirects',
    Envoy: 'no listener on port 80',
  },
  time: {
    nginx: 'client_header_timeout and client_body_timeout',
    HAProxy: 'timeout http-request, and option http-buffer-request',
    Caddy: 'timeouts { read_header }; no read_body',
    Envoy: 'request_headers_timeout and request_timeout',
  },
  size: {
    nginx: 'client_max_body_size',
    HAProxy: 'http-request return status 413 if { req.body_size gt … }',
    Caddy: 'request_body { max_size }',
    Envoy: 'max_request_bytes',
  },
} as const;

export type ProxyTask = keyof typeof LINES;

type ProxyName = keyof (typeof LINES)['certificate'];

/** The proxy that an answer's `Server` header names; null when it names none of ours. */
export function proxyIn(text: string): ProxyName | null {
  const server = /\r\nserver: *(nginx|caddy|envoy)\b/i.exec(text)?.[1]?.toLowerCase();
  if (server === 'nginx') return 'nginx';
  if (server === 'caddy') return 'Caddy';
  return server === 'envoy' ? 'Envoy' : null;
}

/** Advice: which lines of the proxy's file, as in `config/proxy/`. Without a name, those of all. */
export function linesFor(task: ProxyTask, proxy: ProxyName | null): string {
  const lines = LINES[task];
  if (proxy !== null) return `check in the file of ${proxy}: ${lines[proxy]}`;
  const all = Object.entries(lines).map(([name, line]) => `${name}: ${line}`);
  return `check in the proxy's file (${all.join('; ')})`;
}
