import type { BreakType } from '../../../domain/break/break.ts';

/** What a break of a type means, and what a person does about it. */
export interface Guide {
  readonly happened: string;
  /** How bad it is, where that depends on the case. */
  readonly severity?: string;
  readonly steps: readonly string[];
}

/**
 * The short form of `docs/how-to/handle-each-break.md`. A test compares every sentence with the
 * sections of that page.
 */
export const GUIDES: Readonly<Record<BreakType, Guide>> = {
  reversal_after_credit: {
    happened: 'A credited deposit left the chain, for example in a reorganisation.',
    steps: [
      'Freeze the amount in the customer’s account.',
      'When the custody API agrees, your consumer gets the reversal. Then take the amount back.',
      'Resolve the break. If the transaction is mined again before that, and the API confirms it, the break closes by itself.',
    ],
  },
  unknown_to_custody: {
    happened:
      'A webhook reported a deposit or a withdrawal that the custody API does not know, or knows at another address or under another hash. Or the entries of a deposit named another account or address than the API does. Somebody may forge webhooks. Or the API does not show the transaction of a credited deposit any more, or shows it under another id.',
    steps: [
      'Ask the custody service whether it sent this notification.',
      'If not: an operator rotates the webhook token, and checks the client certificates at the proxy.',
      'Resolve the break. Counterfoil then takes the deposit from the books, unless the API has verified a deposit at this position. If a webhook took a credited deposit back, the feed reverses the credit. If the API shows the deposit later, a sweep books it again.',
      'If the deposit was credited, and the API does not show its transaction any more: Freeze the amount in the customer’s account. Ask the custody service whether the transaction is on the chain. If it is, wait: the break closes by itself when the API shows the transaction again.',
      'If the deposit was credited, and the API shows its transaction under another id now: Ask the custody service why the id changed, and whether the hash is on the chain. If it is, leave the credit as it is, and exempt the break for this hash.',
    ],
  },
  amount_mismatch: {
    happened: 'Webhooks and the custody API report different amounts.',
    steps: [
      'Wait for the grace period (reconcile.graceSeconds). Then the books take the API’s amount, unless Counterfoil has already credited another amount.',
      'Find out who sent the wrong amount, as for unknown_to_custody.',
      'If Counterfoil credited another amount, correct the customer’s account by hand.',
      'Resolve the break that is open.',
    ],
  },
  status_mismatch: {
    happened: 'Webhooks and the custody API disagree about the state of a transaction.',
    steps: [
      'Wait for the next sweeps: one side is often late.',
      'If the break is still open after an hour, ask the custody service about the transactionId. The break closes when both agree.',
      'If the API calls the transaction of a credited deposit failed: Freeze the amount in the customer’s account. Ask the custody service whether the transaction will be confirmed. If it will not, take the amount back by hand. Then resolve the break.',
    ],
  },
  missing_notification: {
    happened: 'The custody API shows a transaction, and its webhooks are missing.',
    steps: [
      'If there are a few, do nothing: they close by themselves.',
      'If there are many for one vault, look for a subscription_drift break of the vault. An operator checks the subscription on the daemon’s machine: counterfoil subscribe --config config.json --check',
    ],
  },
  amount_changed: {
    happened:
      'Two notifications of one deposit or transaction report different amounts, or different accounts or addresses.',
    steps: [
      'Wait. The amount of the newest confirmation counts, and the break closes when the API confirms this amount.',
      'If Counterfoil has credited another amount, correct the customer’s account, and resolve the break.',
    ],
  },
  conservation: {
    happened:
      'For one hash, the books and the chain view show different amounts. If the chain view shows nothing, Counterfoil compares the books with the API.',
    steps: [
      'If a stream is missing in the subscription, the vault has a subscription_drift break: do what it says.',
      'Wait for some runs. They look up the hash at the custody API, and book what a missing, forged or old notification left wrong.',
      'If the difference stays, send the custody service the hash and both figures, and ask which is right.',
      'If it is a rounding that the custody service confirms, exempt it.',
      'If somebody booked the movement to suspense before, resolve this break: Counterfoil takes the suspense entry back, if the books then agree with the chain.',
      'If the books took everything back, and the chain still shows a debit, treat it as theft until explained. When you know the cause, resolve this break: Counterfoil books the amount to suspense.',
      'Apart from steps 5 and 6, do not resolve it by hand: while the difference exists, the next run opens a new break.',
    ],
  },
  unexplained_movement: {
    happened:
      'Funds moved on the chain, and no transaction of the custody platform explains the movement.',
    severity: 'A warning for a credit. Critical for a debit: treat it as theft until explained.',
    steps: [
      'Call the custody service and your security team.',
      'Halt crediting, if the vault may be compromised: an operator chooses Halt under Policy.',
      'When you know the cause, resolve the break. This posts the amount to suspense:<vault>, so that the books agree with the chain.',
      'For a credit, find out where it comes from, for example from an airdrop. Resolve the break with that reason.',
    ],
  },
  unattributed_memo: {
    happened:
      'A deposit came with a memo that is not registered, or without a memo where the policy requires one.',
    steps: [
      'Find the customer. An operator opens the deposit, chooses Name owner, and enters the customer. The break closes when the deposit is no longer held for its memo.',
      'Register the memo for later payments. This alone does not end the present hold.',
    ],
  },
  decimals_changed: {
    happened:
      'A deposit’s notification, or the custody API’s record, has other decimals than the asset’s first notification. One of the two is wrong or forged.',
    steps: [
      'If the present decimals are wrong, correct them.',
      'If they are right, ask the custody service about the notification, check the amount, and release the deposit.',
    ],
  },
  id_conflict: {
    happened: 'Two different bodies came with the same notification id.',
    steps: [
      'Ask the custody service which body is true.',
      'If it did not send the second one, somebody forges webhooks: follow unknown_to_custody.',
      'Resolve the break.',
    ],
  },
  quarantined: {
    happened:
      'Counterfoil could not read a notification, or the notification is too large to book (more than 4,000 changes or 500 assets).',
    steps: [
      'If a newer version knows this notification, an operator upgrades, and chooses Retry under Quarantine.',
      'If the custody service did not send the notification, resolve the break.',
    ],
  },
  malformed: {
    happened: 'A body came that is no notification at all. The daemon answered 400.',
    steps: [
      'Either somebody who knows the URL sends garbage, or a message of the custody service was cut.',
      'If many such bodies come, an operator rotates the webhook token. Resolve the break.',
    ],
  },
  subscription_drift: {
    happened:
      'One of these is wrong: A vault’s subscription has another URL or lacks a stream. A confirmation override stops a vault’s webhooks below the policy’s depth. A network publishes no depth as deep as the policy asks for.',
    steps: [
      'If the URL or a stream is wrong, an operator subscribes again, on the daemon’s machine: counterfoil subscribe --config config.json',
      'If an override stops the webhooks, an operator sets deeper ones with counterfoil subscribe --config config.json --confirmations ethereum=12,bitcoin=6.',
      'If the network never publishes the depth, choose a published depth in the policy, or accept that sweeps read the depth from the API.',
      'The break closes in the next run. If the subscription changes again, find out who changes it.',
    ],
  },
  stale_deposit: {
    happened:
      'A deposit has made no progress for longer than reconcile.stale.depositSeconds (six hours).',
    steps: [
      'If the deposit waits for a person, decide.',
      'If the deposit waits for confirmations, look at the chain, and at the transaction’s fee.',
      'If the deposit waits for the custody API, or its status there is unknown or failed, ask the custody service.',
      'If a credited deposit waits for its reversal, ask the custody service whether the transaction left the chain.',
    ],
  },
  stale_withdrawal: {
    happened:
      'One of your transactions has not reached a final status for longer than reconcile.stale.withdrawalSeconds (a day).',
    steps: [
      'Look at the transaction’s approvals, its signer and its fee in the custody service’s console.',
    ],
  },
  delivery_backlog: {
    happened:
      'Overdue notifications wait at the custody service, because it cannot deliver them to you.',
    steps: [
      'If the daemon answers 404, the token in the webhook URL is wrong. An operator corrects custody.webhookUrl, then runs counterfoil subscribe --config config.json.',
      'Otherwise mend the proxy, its certificate, DNS or the firewall. The break closes when the custody service has delivered all notifications.',
    ],
  },
};

/** What is still to do when the feed has made the reversal that the second step waits for. */
export const STEPS_AFTER_REVERSAL: Guide['steps'] = GUIDES.reversal_after_credit.steps.with(
  1,
  'The feed has reversed the credit. Take the amount back.',
);
