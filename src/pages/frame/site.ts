import type { AssetUrls } from '../assets/assets.ts';

/** A section of the navigation. */
export interface Section {
  readonly name: string;
  readonly path: string;
  /** The key that follows `g` to open it. */
  readonly key: string;
}

/** What all pages of one program have in common. */
export interface Site {
  /** Ends every title: `Deposits · Counterfoil`. */
  readonly name: string;
  /** The first page. */
  readonly home: string;
  readonly assets: AssetUrls;
  readonly sections: readonly Section[];
  /** The page of search results, and the label of the search field. */
  readonly search: { readonly action: string; readonly label: string };
  /**
   * `stream`: the path of the server-sent events that open pages hear. `acted`: the path of a POST
   * that says a person is at the page, which extends a session; absent without one.
   */
  readonly live: { readonly stream: string; readonly acted?: string | undefined };
}
