/**
 * A page of this console; anything else a form or a link names leads to the overview. So does a
 * path with a control character: no header can hold it.
 */
export function ownPage(path: unknown): string {
  return typeof path === 'string' && /^\/console(?:[/?]\P{Cc}*)?$/u.test(path) ? path : '/console';
}

/** The page that has the form with this action: `/console/breaks/brk_1` of its `…/notes`. */
export function pageOfForm(action: string): string {
  const [, , room = '', id = '', step] = action.split('/');
  // Forms of a token or a session are on the list.
  const isOfOneThing = step !== undefined && room !== 'access';
  return isOfOneThing ? `/console/${room}/${id}` : `/console/${room}`;
}
