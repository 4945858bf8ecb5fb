/** Section "Endpoints". */
export const ENDPOINT_ROWS = {
  prefix: 'all paths are prefixed /api/v1',
  json: 'requests with bodies use JSON',
  bearer: 'Authorization is `Authorization: Bearer <token>`',
  'POST /auth/login-code/request': 'body {email}; acknowledgement',
  'POST /auth/login-code/verify': 'body {email, code}; {accessToken, refreshToken}',
  'POST /auth/refresh': 'refresh token; new access token',
  'POST /auth/revoke': 'revokes the current refresh token',
  'POST /auth/revoke-all': 'revokes all refresh tokens of the client',
  'GET /auth/session': 'current session info',
  'POST /auth/logout': "revokes the current session's refresh token",
  'GET /auth/login': 'callback_url; redirect to the identity provider',
  'GET /auth/{idp}-callback': 'completes login; accessToken, refreshToken',
  'POST /subscriptions/{vaultId}': '{webhookUrl, streams}; 200 with the created rows',
  'GET /subscriptions/{vaultId}': 'subscription info',
  'DELETE /subscriptions/{vaultId}': 'removes all subscriptions of the vault',
  'PUT /subscriptions/{vaultId}/confirmations': '{confirmations}; confirmation settings',
  'GET /subscriptions/{vaultId}/confirmations': '{confirmations}; empty = no override',
  'PATCH /subscriptions/{vaultId}/notifications/retry-schedule': '{nextTryAt}',
  'POST /subscriptions/notifications/{notificationId}/replay': '{url, deliveryId?}; result',
  'GET /subscriptions/notifications': "query transactionId; the transaction's notifications",
  'GET /networks': 'networks with their confirmations arrays',
  'GET /vaults': 'list vaults (pagination, search, relations[])',
  'POST /transactions': 'create a transaction; idempotent on orderId',
  'GET /transactions': 'list; filter[status], filter[network]',
  'GET /transactions/{id}': 'one transaction; relations[] (events, approvals)',
  'GET /transactions/{txId}/master-approval-payload': 'final signing bundle',
  'GET /transactions/{id}/events': 'events, with reasonDetails for insufficient_balance',
  'POST /accounts': 'create account; idempotent on name + vault',
  'POST /addresses': 'create address; idempotent on HD path',
  'POST /memos': 'create memo; idempotent on address + memo',
} as const;

/** Sections "Subscription (webhook) endpoints" and "Errors" (subscription-specific conditions). */
export const SUBSCRIPTION_ROWS = {
  'behaviour-1': 'POST replaces the whole set; remove one, change the URL, DELETE stops all',
  'behaviour-2': 'PUT confirmations: maximum delivered depth per network; whole map; default all',
  'behaviour-3': 'retry-schedule pulls forward only; null when eligible; URL alone keeps backoff',
  'behaviour-4': 'replay re-delivers a delivered one, also elsewhere; fresh deliveryId',
  'behaviour-5': 'list merges pending and delivered; neither transaction nor hash: not returned',
  'behaviour-6': 'permissions: see Authentication',
  'condition-1': 'missing permissions: 403',
  'condition-2': 'unpublished depth: 400 with its message',
  'condition-3': 'unknown network key: 400',
  'condition-4': 'replay of a pending notification: 400',
  'condition-5': 'replay with a deliveryId whose result was 2xx: 409',
} as const;

/** Section "Authentication". */
export const AUTHENTICATION_ROWS = {
  'mode/api': 'api: RSA self-signed JWT',
  'mode/user/identity-provider': 'user: identity-provider login + session tokens',
  'mode/user/login-code': 'user: e-mail login code + session tokens',
  'mode/user/jwt': 'user: RSA self-signed JWT',
  'jwt/step-1': 'an RSA key pair; the private key never reaches the service',
  'jwt/step-2': 'creating an API client yields a Client ID',
  'jwt/step-3': 'the public key is attached to the API client',
  'jwt/step-4': 'each request carries a JWT, verified with the attached key',
  'jwt/typ': 'header typ: JWT',
  'jwt/alg': 'header alg: RS256',
  'jwt/kid': 'header kid: hex SHA-256 of the DER SubjectPublicKeyInfo',
  'jwt/sub': 'payload sub: same as kid',
  'jwt/iss': 'payload iss: the Client ID',
  'jwt/exp': 'payload exp: expiry, Unix seconds; lifetime set by the client',
  'jwt/permissions': 'the token carries the permissions of the client',
  'session/step-1': 'request a one-time login code',
  'session/step-2': 'verify: accessToken and refreshToken',
  'session/step-3': 'identity-provider flow',
  'session/step-4': 'refresh, revoke, revoke-all, session, logout',
  'session/step-5': 'missing or failed credentials: 401 AU-1',
  'session/step-6': 'lifetimes and validity rules: a gap, decided',
  'session/step-7': 'attaching a public key: a gap, decided',
} as const;

/** Section "Permissions". */
export const PERMISSION_ROWS = {
  write: 'POST/PUT/DELETE, PATCH, replay: manageNotifications and manageVaults',
  read: 'GETs: the above, or global Vault:read',
  missing: 'without the required permissions: 403',
} as const;

/** Section "Errors". */
export const ERROR_ROWS = {
  'body/statusCode': 'integer, HTTP status',
  'body/errorCode': 'string',
  'body/errorMessage': 'string',
  'body/timestamp': 'string, ISO 8601',
  'body/endpoint': '<METHOD> <path> of the request',
  '400 BR-1': 'invalid request parameters',
  '400 BR-2': 'request parameters schema validation failed',
  '400 BR-1001': 'invalid blockchain network specified',
  '400 BR-1002': 'invalid blockchain network/asset specified',
  '401 AU-1': 'authentication failed or credentials missing',
  '403 AU-1': 'insufficient privileges',
  '404 NE-1': 'entity not found',
  '409 CFR-1': 'conflicting request',
  '409 ADR-3001': 'address conflict or ambiguous address',
  '409 ADR-3002': 'inconsistent address/network combination',
  '409 MEM-4001': 'conflicting memo record',
  '409 TX-2002': 'ambiguous transaction request',
  '422 UE-1': 'unprocessable request entity',
  '429 RL-1': 'rate limit exceeded',
} as const;

/** Section "Errors": failures inside the service or its providers. */
export const INTERNAL_ERROR_ROWS = {
  '500 GE-1': 'internal server error',
  '500 APM-1': 'application maintenance or processing failure',
  '503 HAC-1': 'upstream blockchain provider exception',
  '503 HAC-2': 'upstream blockchain provider bad request',
  '503 HAC-3': 'upstream blockchain provider bad response',
} as const;
