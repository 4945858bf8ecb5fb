import type { Stream } from '../../src/wire/event-names.ts';

/** A balance change entry as the service writes it. */
export interface ChangeBody {
  readonly asset: string;
  readonly amount: string;
  readonly tags?: readonly string[];
  readonly address?: { readonly id: string; readonly networkAddress?: string };
  readonly account?: { readonly id: string };
  readonly memoInfo?: { readonly memo: string };
  readonly amountFormatted?: {
    readonly asset: {
      readonly name: string;
      readonly decimals: number;
      readonly type?: string | null;
    };
    readonly value: string;
  } | null;
}

export interface WebhookBody {
  readonly id: string;
  readonly timestamp: number;
  readonly stream: Stream;
  readonly type: string;
  readonly vaultId: string;
  readonly blockchainHash?: string;
  readonly balanceChanges?: readonly ChangeBody[];
  readonly [field: string]: unknown;
}

export const ETH = 'ethereum:ETH';
export const HASH = '0xa1';

/** One entry of a few words: amount, then tags and whatever else. */
export function change(amount: string | bigint, more: Partial<ChangeBody> = {}): ChangeBody {
  return { asset: ETH, amount: String(amount), ...more };
}

/** `amountFormatted` with these decimals; the value itself is never read. */
export function decimals(count: number): Pick<ChangeBody, 'amountFormatted'> {
  return { amountFormatted: { asset: { name: 'coin', decimals: count }, value: '0' } };
}

/** Issues notification ids, so that a test names one only when the id matters to it. */
export class Service {
  #issued = 0;

  #envelope(): { id: string; timestamp: number; vaultId: string; network: string } {
    this.#issued += 1;
    const timestamp = 1_763_600_000_000 + this.#issued;
    return { id: `ntf-${this.#issued}`, timestamp, vaultId: 'v1', network: 'ethereum' };
  }

  incoming(type: 'mempool' | 'confirmation' | 'rollback', more: object = {}): WebhookBody {
    return {
      ...this.#envelope(),
      stream: 'incoming',
      type,
      accountId: 'acc-1',
      addressId: 'adr-1',
      blockchainHash: HASH,
      transactionId: 'dep-tx',
      ...(type === 'confirmation' ? { confirmations: 1 } : {}),
      ...(type === 'rollback' ? {} : { balanceChanges: [change('100')] }),
      ...more,
    };
  }

  /** A confirmation at a depth, by default of 100 units. */
  confirmed(confirmations: number, more: object = {}): WebhookBody {
    return this.incoming('confirmation', { confirmations, ...more });
  }

  outgoing(type: string, more: object = {}): WebhookBody {
    return {
      ...this.#envelope(),
      stream: 'outgoing',
      type,
      transactionId: 'wd-tx',
      orderId: 'order-1',
      destinationAddress: '0xdead',
      ...(HASHED.has(type) ? { blockchainHash: HASH } : {}),
      ...(REASONED.has(type) ? { reasonCode: 'insufficient_balance' } : {}),
      ...(type === 'mined' ? { balanceChanges: MINED } : {}),
      ...more,
    };
  }

  chain(
    type: 'transaction' | 'mempool' | 'confirmation' | 'rollback',
    more: object = {},
  ): WebhookBody {
    const hasChanges = type === 'transaction' || type === 'mempool';
    return {
      ...this.#envelope(),
      stream: 'blockchain',
      type,
      blockchainHash: HASH,
      ...(type === 'confirmation' ? { confirmations: 1 } : {}),
      ...(hasChanges ? { balanceChanges: [change('100', AT_ADDRESS)] } : {}),
      ...more,
    };
  }
}

const HASHED = new Set(['submitted', 'mined', 'failed', 'rolledback', 'replaced']);
const REASONED = new Set(['warning', 'cancelled']);

/** The address-level position that most tests use. */
export const AT_ADDRESS = { address: { id: 'adr-1' }, account: { id: 'acc-1' } } as const;

/** The address-level position with its address on the chain. */
export function onChain(networkAddress: string, id = 'adr-1') {
  return { address: { id, networkAddress }, account: { id: 'acc-1' } } as const;
}

/** What `mined` says of a withdrawal of 30 units with a fee of 2. */
export const MINED: readonly ChangeBody[] = [
  change('-30', AT_ADDRESS),
  change('-2', { ...AT_ADDRESS, tags: ['fee'] }),
];
