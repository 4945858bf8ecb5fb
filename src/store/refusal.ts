/** The store cannot be opened, written or replaced; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}
