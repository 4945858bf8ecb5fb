import type { Dispatcher } from 'undici';

/**
 * Longest answer that is read. The core ignores the content, so a longer answer closes the
 * connection.
 */
const ANSWER_BYTES_MAX = 64 * 1024;

/** The status of the answer, or the error that came before an answer. */
export type HttpExchangeEnd = { readonly statusCode: number } | { readonly error: unknown };

/**
 * One HTTP request and its answer. The exchange ends with the status line: the status alone says
 * whether the delivery succeeded (the specification, section "Delivery rules", 3). The body is
 * still read, so that the connection can be used again.
 *
 * This class replaces undici's `request`, which makes a body stream and an abort signal for each
 * request. At ten thousand webhooks a second that took most of the time.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly ended: Promise<HttpExchangeEnd>;
  readonly #end: (end: HttpExchangeEnd) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #answerBytes = 0;

  constructor() {
    let end = (_: HttpExchangeEnd): void => undefined;
    this.ended = new Promise((resolve) => (end = resolve));
    this.#end = end;
  }

  /** Ends the exchange now, even when the request still waits for a connection. */
  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#end({ error: reason });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    // A 1xx answer precedes the final one.
    if (statusCode >= 200) this.#end({ statusCode });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answerBytes += chunk.byteLength;
    if (this.#answerBytes > ANSWER_BYTES_MAX) controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    // `onResponseStart` has ended the exchange.
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ error });
  }
}
