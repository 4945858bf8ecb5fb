import { ProductRefused, type ProductApi } from '../product-api.ts';

interface HeldDeposit {
  readonly depositId: string;
  readonly reason: string;
}

interface OpenBreak {
  readonly breakId: string;
  readonly depositId: string;
}

/** Does a person's work through the API, as an operator of the exchange would. */
export class Operator {
  readonly #api: ProductApi;

  constructor(api: ProductApi) {
    this.#api = api;
  }

  /** Attributes all deposits held for their memo; returns their number. */
  async attributeHeld(): Promise<number> {
    const held = await this.#api.get<{ data: HeldDeposit[] }>(
      '/v1/deposits?state=held&pageSize=1000',
    );
    let done = 0;
    for (const { depositId, reason } of held.data) {
      if (reason !== 'unattributed_memo') continue;
      const body = { attributedTo: 'customer 1001', reason: 'the customer named the transaction' };
      if (await this.#does(`/v1/deposits/${depositId}/attribute`, body)) done += 1;
    }
    return done;
  }

  /** Resolves the breaks of all reversed credits; returns their number. */
  async resolveReversed(): Promise<number> {
    const open = await this.#api.get<{ data: OpenBreak[] }>(
      '/v1/breaks?state=unresolved&type=reversal_after_credit&pageSize=1000',
    );
    let done = 0;
    for (const { breakId, depositId } of open.data) {
      const deposit = await this.#api.get<{ state: string }>(`/v1/deposits/${depositId}`);
      if (deposit.state !== 'reversed') continue;
      const body = { reason: "the amount was taken back from the customer's balance" };
      if (await this.#does(`/v1/breaks/${breakId}/resolve`, body)) done += 1;
    }
    return done;
  }

  /** False when somebody at the console was faster. */
  async #does(path: string, body: object): Promise<boolean> {
    try {
      await this.#api.post(path, body);
      return true;
    } catch (error) {
      if (error instanceof ProductRefused && error.status === 409) return false;
      throw error;
    }
  }
}
