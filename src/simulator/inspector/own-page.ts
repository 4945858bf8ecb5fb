import { HOME } from './context.ts';

/** A page of the inspector; anything else that a form names leads to the overview. */
export function ownPage(path: string): string {
  return /^\/inspector(?:\/[\w./-]*)?$/.test(path) && !path.includes('//') ? path : HOME;
}
