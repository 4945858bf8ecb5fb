/** A store that must not be opened as it is; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}
