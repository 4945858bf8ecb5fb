/*
 * The package's index re-exports these modules and warns at every start of a Node.js release on
 * which it works. The modules themselves warn of real problems only.
 */

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const SessionNotFound: typeof errors.SessionNotFound;
}
