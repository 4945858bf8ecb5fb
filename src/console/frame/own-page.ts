/** A page of this console; anything else a form or a link names leads to the overview. */
export function ownPage(path: unknown): string {
  return typeof path === 'string' && /^\/console(?:[/?]|$)/.test(path) ? path : '/console';
}

/** The page that has the form with this action: `/console/breaks/brk_1` of its `…/notes`. */
export function pageOfForm(action: string): string {
  const [, , room = '', id = '', step] = action.split('/');
  // Forms of a token or a session are on the list.
  const isOfOneThing = step !== undefined && room !== 'access';
  return isOfOneThing ? `/console/${room}/${id}` : `/console/${room}`;
}
