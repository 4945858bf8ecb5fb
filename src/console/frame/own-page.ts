/** A page of this console; anything else a form or a link names leads to the overview. */
export function ownPage(path: unknown): string {
  return typeof path === 'string' && /^\/console(?:[/?]|$)/.test(path) ? path : '/console';
}
