import type { Approval } from '../../wire/notification.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import { isSignatureOf } from '../signing/external-signature.ts';
import { refused } from '../world/outcome.ts';
import type {
  ApprovalDecision,
  MasterApprovalPayload,
  OrderRequest,
  SignatureSubmission,
} from '../world/transaction.ts';
import type { Change, Creation, Refused } from '../world/outcome.ts';
import type { FundingView } from './funding/funding.ts';
import type { OrderFlow } from './order-flow.ts';
import { isCancellable } from './order.ts';
import type { Order } from './order.ts';
import { orderObjection } from './order-check.ts';
import { signingBundle } from './signing-bundle.ts';
import type { SigningBundle } from './signing-bundle.ts';

/**
 * Creates orders and handles the clients' approvals, refusals, declines and signatures (the
 * specification, sections "Idempotent creation" and "Outgoing transaction progress").
 */
export class OrderActions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #view: FundingView;
  readonly #flow: OrderFlow;
  readonly #nextSequence: () => number;

  constructor(options: {
    clock: Clock;
    random: Random;
    view: FundingView;
    flow: OrderFlow;
    nextSequence: () => number;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#view = options.view;
    this.#flow = options.flow;
    this.#nextSequence = options.nextSequence;
  }

  order(request: OrderRequest): Creation<Order> {
    const existing = this.#view.orders.withOrderId(request.orderId);
    if (existing !== undefined) return { kind: 'existing', record: existing };
    const objection = orderObjection(this.#view, request);
    if (objection !== undefined) return objection;
    return { kind: 'created', record: this.#flow.begin(this.#record(request)) };
  }

  handleDecision(decision: ApprovalDecision & { decision: 'approve' | 'reject' }): Change<Order> {
    const order = this.#view.orders.get(decision.transactionId);
    if (order === undefined) return unknownTransaction(decision.transactionId);
    const stage = this.#stage(order);
    if (stage === undefined) {
      return refused('CFR-1', `Transaction ${order.transactionId} waits for no approval`);
    }
    if (!stage.approvers.includes(decision.clientId)) {
      return refused('AU-1', `Client ${decision.clientId} is not an approver`);
    }
    if (stage.approvals.some((approval) => approval.clientId === decision.clientId)) {
      return refused('CFR-1', `Client ${decision.clientId} has decided already`);
    }
    const approval: Approval = {
      clientId: decision.clientId,
      decision: decision.decision,
      timestamp: new Date(this.#clock.now()).toISOString(),
    };
    const approvals = [...stage.approvals, approval];
    const updated = this.#view.orders.update(
      order,
      stage.kind === 'quorum' ? { approvals } : { masterApprovals: approvals },
    );
    const record =
      decision.decision === 'reject'
        ? this.#flow.cancel(
            updated,
            stage.kind === 'quorum' ? 'rejected_by_approver' : 'rejected_by_master_approver',
          )
        : this.#afterApproval(updated, stage, approvals.length);
    return { kind: 'done', record };
  }

  cancel(transactionId: string): Change<Order> {
    const order = this.#view.orders.get(transactionId);
    if (order === undefined) return unknownTransaction(transactionId);
    if (!isCancellable(order)) {
      return refused('CFR-1', `Transaction ${transactionId} is ${order.status}`);
    }
    return { kind: 'done', record: this.#flow.cancel(order, 'declined_by_client') };
  }

  submitSignatures(submission: SignatureSubmission): Change<Order> {
    const order = this.#view.orders.get(submission.transactionId);
    if (order === undefined) return unknownTransaction(submission.transactionId);
    // Due blocks come first: they can take nonces.
    this.#view.chain.catchUp(order.network);
    const bundle = signingBundle(this.#view, order);
    if (order.status !== 'to-sign' || bundle === undefined) {
      return refused('CFR-1', `Transaction ${order.transactionId} waits for no signatures`);
    }
    const refusal = this.#signatureFlaw(order, bundle, submission.signatures);
    if (refusal !== undefined) return refusal;
    return { kind: 'done', record: this.#flow.submit(order) };
  }

  masterApprovalPayload(transactionId: string): Change<MasterApprovalPayload> {
    const order = this.#view.orders.get(transactionId);
    if (order === undefined) return unknownTransaction(transactionId);
    const masters = this.#view.registry.vault(order.vaultId)?.masterApproval ?? null;
    if (masters === null) return refused('CFR-1', 'The vault has no master approval');
    const bundle = signingBundle(this.#view, order);
    if (bundle === undefined) {
      return refused('CFR-1', `Transaction ${transactionId} has no signing bundle`);
    }
    return {
      kind: 'done',
      record: {
        transactionId,
        vaultId: order.vaultId,
        network: order.network,
        ...bundle,
        payloads: [...bundle.payloads],
        approvals: [...order.approvals],
        masterApprovals: [...order.masterApprovals],
        complete: order.masterApprovals.length >= masters.approvers.length,
      },
    };
  }

  /**
   * Returns why the signatures do not complete the bundle. Every payload needs a signature. A wrong
   * or unknown one is refused, because its signer has read another bundle.
   */
  #signatureFlaw(
    order: Order,
    bundle: SigningBundle,
    signatures: SignatureSubmission['signatures'],
  ): Refused | undefined {
    const hdpaths = new Map(bundle.payloads.map(({ payload, hdpath }) => [payload, hdpath]));
    const signed = new Set<string>();
    for (const given of signatures) {
      const payload = given.payload.toLowerCase();
      const hdpath = hdpaths.get(payload);
      if (hdpath === undefined) {
        return refused(
          'UE-1',
          `The payload ${payload} waits for no signature: read signingPayloads again`,
        );
      }
      const key = this.#view.registry.keys.publicKey(order.vaultId, hdpath);
      if (given.publicKey.toLowerCase() !== Buffer.from(key).toString('hex')) {
        return refused('UE-1', `Payload ${payload} is to be signed with the key at ${hdpath}`);
      }
      if (!isSignatureOf({ ...given, payload })) {
        return refused('UE-1', `Invalid signature of payload ${payload}`);
      }
      signed.add(payload);
    }
    const missing = bundle.payloads.find(({ payload }) => !signed.has(payload));
    if (missing === undefined) return undefined;
    return refused('UE-1', `No signature of payload ${missing.payload}`);
  }

  #afterApproval(order: Order, stage: Stage, given: number): Order {
    // The approval that completes the stage emits no `approved`: that event is for an unmet quorum
    // only.
    if (given >= stage.needed) {
      return stage.kind === 'quorum' ? this.#flow.process(order) : this.#flow.sign(order);
    }
    return this.#view.orders.advance(order, { type: 'approved' });
  }

  /** The approvals that the order waits for; undefined when it waits for none. */
  #stage(order: Order): Stage | undefined {
    const vault = this.#view.registry.vault(order.vaultId);
    if (vault === undefined) return undefined;
    if (order.status === 'approval-pending') {
      return {
        kind: 'quorum',
        approvers: vault.approvers,
        approvals: order.approvals,
        needed: order.quorum,
      };
    }
    // A built, unsigned order that is not paused waits for the master approvers only.
    if (order.status !== 'inited' || order.draft === null) return undefined;
    const approvers = vault.masterApproval?.approvers ?? [];
    return {
      kind: 'master',
      approvers,
      approvals: order.masterApprovals,
      needed: approvers.length,
    };
  }

  #record(request: OrderRequest): Order {
    const vault = this.#view.registry.vault(request.vaultId);
    const address = this.#view.registry.address(request.addressId ?? '');
    const quorum = vault?.quorum ?? 0;
    const inFlow = quorum > 0 || (vault?.masterApproval ?? null) !== null;
    const nowMs = this.#clock.now();
    return {
      transactionId: this.#random.uuid(),
      orderId: request.orderId,
      vaultId: request.vaultId,
      accountId: request.accountId ?? address?.accountId ?? null,
      addressId: request.addressId ?? null,
      network: request.network,
      asset: request.asset,
      amount: request.amount,
      destinationAddress: request.destinationAddress,
      memo: request.memo ?? null,
      changeAddressId: request.changeAddressId ?? null,
      replacesTransactionId: request.replacesTransactionId ?? null,
      metadata: request.metadata ?? {},
      status: quorum > 0 ? 'approval-pending' : 'requested',
      quorum,
      approvals: [],
      masterApprovals: [],
      flowId: inFlow ? this.#random.uuid() : null,
      draft: null,
      blockchainHash: null,
      reasonCode: null,
      pause: null,
      wakeAtMs: null,
      createdMs: nowMs,
      updatedMs: nowMs,
      sequence: this.#nextSequence(),
    };
  }
}

interface Stage {
  kind: 'quorum' | 'master';
  approvers: readonly string[];
  approvals: readonly Approval[];
  needed: number;
}

function unknownTransaction(transactionId: string): Refused {
  return refused('NE-1', `Transaction ${transactionId} not found`);
}
