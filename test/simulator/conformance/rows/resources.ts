/** Section "Resources and their fields", and the other places that name a record's fields. */
export const RESOURCE_ROWS = {
  vault: 'Vault: vaultId',
  account: 'Account: id / accountId, name, data',
  address: 'Address: id / addressId, name, networkAddress, network, hdpath, data, memo',
  transaction: 'Transaction: transactionId … approvals; a status value `requested` is named',
  network: 'Network: key, confirmations (array of integers, ascending)',
  subscription: 'Subscription: per vault and stream; webhookUrl applies to every stream',
  'notification-record': 'Notification record: id, timestamp, stream, type, status',
  'api-client': 'API client: Client ID; an RSA public key is attached to it',
  'session-tokens': 'Session tokens: accessToken (short-lived), refreshToken',
  'pagination-envelope': 'Pagination envelope: data, pagination {page, pageSize, total}',
} as const;

/** Section "List conventions". */
export const LIST_ROWS = {
  'pagination/page': 'page: integer, 0-based, default 0',
  'pagination/pageSize': 'pageSize: integer, default 100, max 1000',
  'pagination/sort': 'sort: <field>:<asc or desc>',
  'filtering/filter': 'filter[<field>]=<value>, several combinable',
  'filtering/search': 'search=<text> on some lists',
  relations: 'relations[]=<name>, repeatable',
} as const;

/** Section "Idempotent creation", and the codes of section "Errors" for what conflicts with it. */
export const CREATION_ROWS = {
  statuses: '200 for an existing resource, 201 for a newly created one',
  transactions: 'orderId: returns the existing transaction when orderId matches',
  accounts: 'name + vault: returns the existing account',
  addresses: 'HD path: returns the existing address',
  memos: 'address + memo: returns the existing memo',
  'transactions/concurrent': 'fifty equal requests at once make one transaction',
  'accounts/concurrent': 'fifty equal requests at once make one account',
  'addresses/concurrent': 'fifty equal requests at once make one address',
  'memos/concurrent': 'fifty equal requests at once make one memo',
  'addresses/conflict': 'fifty accounts at once want one HD path: ADR-3001 for all but one',
  'memos/conflict': 'fifty contents at once for one memo: MEM-4001 for all but one',
} as const;

/** Section "Limits". */
export const LIMIT_ROWS = {
  'standard-rate': '100 requests per minute',
  'burst-rate': '1,000 requests per hour',
  pageSize: 'pageSize default 100, maximum 1000',
  page: 'page 0-based, default 0',
  'header/X-RateLimit-Limit': 'maximum requests allowed in the window',
  'header/X-RateLimit-Remaining': 'requests remaining in the current window',
  'header/X-RateLimit-Reset': 'Unix timestamp when the window resets',
  'header/Retry-After': 'seconds until the limit resets (on 429)',
  exceeded: 'an exceeded limit is 429 RL-1 with Retry-After',
} as const;

/** Section "Versioning", and the document that the core publishes of itself. */
export const CONTRACT_ROWS = {
  'version-in-path': 'the version is part of the path: /api/v1',
  'tags-are-open': 'balance change tags are forward-compatible',
  'document-is-openapi-3.1': '/openapi.json is a valid OpenAPI 3.1 document',
  'document-holds-every-endpoint': 'every endpoint of the specification is in it',
  'violations-are-noticed': 'an exchange that breaks the document is reported',
} as const;
