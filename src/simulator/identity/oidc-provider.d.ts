/*
 * The package's index does nothing but re-export these modules and warn, at every start, of a Node.js
 * release that it works on all the same. The modules themselves warn of what is really wrong.
 */

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const SessionNotFound: typeof errors.SessionNotFound;
}
