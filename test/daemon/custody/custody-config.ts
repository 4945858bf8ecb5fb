/** A configuration of the custody API whose address the tests read in messages. */
export const CUSTODY = {
  baseUrl: 'https://custody.example',
  clientId: 'c',
  privateKeyFile: '/keys/custody.key',
  webhookUrl: 'https://hooks.example/hooks/x',
  vaults: 'all',
  paths: {},
} as const;
