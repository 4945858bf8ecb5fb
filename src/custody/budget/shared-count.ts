/** One request as a shared count knows it. Ages are milliseconds before the question. */
export interface CountedRequest {
  readonly lane: string;
  readonly startedAgoMs: number;
  /** Null while it is under way, and for good when its process died. */
  readonly finishedAgoMs: number | null;
}

/** `failed`: the count cannot be reached, so nothing may be sent. `detail` says what to do. */
export type Counted<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly detail: string };

/**
 * A count of requests that processes on several machines share. Each counts a request there before
 * it sends it, so that all of them together keep to the limits (spec, "Limits").
 */
export interface SharedCount {
  /** The requests of the last hour of everybody, oldest first. */
  recent(): Promise<Counted<readonly CountedRequest[]>>;
  /** Counts one request and gives its number; null when a limit leaves no room for it. */
  start(lane: string): Promise<Counted<number | null>>;
  /** Notes the end of a request. A note that is lost lets the request count for longer. */
  finish(id: number): void;
  close(): Promise<void>;
}
