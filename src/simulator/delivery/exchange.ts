import type { Dispatcher } from 'undici';

/** Answers carry nothing that the core reads; a longer one costs the connection. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** The status of the answer, or what went wrong before there was one. */
export type ExchangeEnd = { readonly statusCode: number } | { readonly error: unknown };

/**
 * One request and its answer. Ends with the status line, which alone decides (section "Delivery
 * rules", 3); the body is drained for the connection's sake.
 *
 * undici's own `request` makes a body stream and an abort signal for each; at ten thousand webhooks a
 * second that is most of the work.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly ended: Promise<ExchangeEnd>;
  readonly #end: (end: ExchangeEnd) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #answerBytes = 0;

  constructor() {
    let end = (_: ExchangeEnd): void => undefined;
    this.ended = new Promise((resolve) => (end = resolve));
    this.#end = end;
  }

  /** Ends the exchange now, wherever it is: a request that still waits for its connection, too. */
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
    // 1xx only announces the answer.
    if (statusCode >= 200) this.#end({ statusCode });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answerBytes += chunk.byteLength;
    if (this.#answerBytes > ANSWER_BYTES_MAX) controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    // The status has ended the exchange already.
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ error });
  }
}
