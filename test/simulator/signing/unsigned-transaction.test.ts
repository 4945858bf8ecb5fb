import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { OutScript, SigHash, Transaction as UtxoTransaction } from '@scure/btc-signer';
import { Transaction as EvmTransaction } from 'micro-eth-signer';
import type { TxCoder } from 'micro-eth-signer';
import { expect, test } from 'vitest';
import type { Transaction } from '../../../src/wire/transaction.ts';
import { record } from '../world/scene.ts';
import { signer } from './signer.ts';

const ETH = 10n ** 18n;
const DEAD = '0x000000000000000000000000000000000000dEaD';
const TO_EVM = { network: 'ethereum', asset: 'ethereum:ETH', destinationAddress: DEAD };

function payloadsOf(transaction: Transaction): { payload: string; hdpath: string }[] {
  return transaction.signingPayloads ?? [];
}

function encodedOf({ metadata }: Transaction): string {
  return String(metadata?.['unsignedTransaction']);
}

/** Decodes the transaction; the library throws for an invalid one. */
function evmOf(transaction: Transaction) {
  const decoded = EvmTransaction.fromHex(encodedOf(transaction));
  if (decoded.type !== 'eip1559') throw new Error(decoded.type);
  return new EvmTransaction('eip1559', decoded.raw as TxCoder<'eip1559'>);
}

test.each([
  {
    asset: 'ethereum:ETH',
    chainId: 1n,
    shown: { to: DEAD, value: 1000n, data: '0x', gasLimit: 21_000n, maxFeePerGas: 10n ** 9n },
  },
  {
    asset: 'polygon:USDC',
    chainId: 137n,
    shown: {
      to: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      value: 0n,
      data: `0xa9059cbb${'dead'.padStart(64, '0')}${(1000).toString(16).padStart(64, '0')}`,
      gasLimit: 65_000n,
      maxFeePerGas: 30n * 10n ** 9n,
    },
  },
])('$asset: the payload is the sighash of the EIP-1559 transaction shown', (row) => {
  const { scene, vault, privateKey } = signer();
  const [network = '', symbol = ''] = row.asset.split(':');
  const address = scene.address(vault, network);
  scene.fund(address, network === 'ethereum' ? 'ETH' : 'POL', ETH);
  scene.fund(address, symbol, ETH);
  const order = scene.order({
    vaultId: vault.vaultId,
    network,
    asset: row.asset,
    amount: 1000n,
    destinationAddress: DEAD,
  });
  const unsigned = evmOf(order);
  expect(unsigned.raw).toMatchObject({ ...row.shown, chainId: row.chainId, nonce: 0n });
  expect(unsigned.fee.toString()).toBe(order.metadata?.['fee']);
  const [{ payload, hdpath } = { payload: '', hdpath: '' }] = payloadsOf(order);
  // The library hashes the transaction itself to find the signer.
  const { r, s, recovery } = secp256k1.Signature.fromBytes(
    secp256k1.sign(hex.decode(payload), privateKey(hdpath), {
      prehash: false,
      format: 'recovered',
    }),
    'recovered',
  );
  const signed = new EvmTransaction('eip1559', { ...unsigned.raw, r, s, yParity: recovery ?? 0 });
  expect(signed.verifySignature()).toBe(true);
  expect(signed.sender).toBe(address.networkAddress);
});

test.each([
  { network: 'bitcoin', symbol: 'BTC', to: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
  { network: 'litecoin', symbol: 'LTC', to: 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea' },
])('$network: the payloads are the BIP-143 digests of the PSBT shown', (row) => {
  const { network, symbol, to } = row;
  const { scene, vault, privateKey, sign } = signer({ source: 'vault' });
  for (const account of ['one', 'two']) {
    scene.fund(scene.address(vault, network, account), symbol, 50_000n);
  }
  const order = scene.order({
    vaultId: vault.vaultId,
    network,
    asset: `${network}:${symbol}`,
    amount: 80_000n,
    destinationAddress: to,
  });
  const psbt = UtxoTransaction.fromPSBT(hex.decode(encodedOf(order)));
  const payloads = payloadsOf(order);
  expect([psbt.inputsLength, payloads.length]).toEqual([2, 2]);
  for (const [index, { payload }] of payloads.entries()) {
    const { witnessUtxo } = psbt.getInput(index);
    if (witnessUtxo === undefined) throw new Error('an input without its output');
    const owner = OutScript.decode(witnessUtxo.script);
    if (owner.type !== 'wpkh') throw new Error(owner.type);
    const code = OutScript.encode({ type: 'pkh', hash: owner.hash });
    const digest = psbt.preimageWitnessV0(index, code, SigHash.ALL, witnessUtxo.amount);
    expect(hex.encode(digest)).toBe(payload);
  }
  expect(psbt.getOutput(0).amount).toBe(80_000n);
  expect(psbt.fee.toString()).toBe(order.metadata?.['fee']);
  // The keys of the payloads own the inputs that the library signs and finalises itself.
  for (const [index, { hdpath }] of payloads.entries()) psbt.signIdx(privateKey(hdpath), index);
  psbt.finalize();
  expect(psbt.isFinal).toBe(true);
  const { transactionId } = order;
  const signatures = payloads.map((payload) => sign(payload));
  record(scene.world.submitSignatures({ transactionId, signatures }));
  scene.mine(network);
  expect(scene.transaction(transactionId).status).toBe('mined');
});

test('the first broadcast takes the nonce; the payloads of the others change', () => {
  const { scene, vault, sign } = signer();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  const request = { ...TO_EVM, vaultId: vault.vaultId };
  const first = scene.order({ ...request, amount: 5n });
  const second = scene.order({ ...request, amount: 6n });
  expect([first, second].map((each) => evmOf(each).raw.nonce)).toEqual([0n, 0n]);
  const submit = (order: Transaction) =>
    scene.world.submitSignatures({
      transactionId: order.transactionId,
      signatures: payloadsOf(order).map((payload) => sign(payload)),
    });
  expect(record(submit(second)).metadata).toMatchObject({ nonce: 0 });
  expect(submit(first)).toMatchObject({ code: 'UE-1' });
  scene.world.externalDebit({
    network: 'ethereum',
    addressId: address.addressId,
    asset: 'ethereum:ETH',
    amount: 1n,
    destinationAddress: 'thief',
  });
  const anew = scene.transaction(first.transactionId);
  expect(evmOf(anew).raw.nonce).toBe(2n);
  const submitted = record(submit(anew));
  expect(submitted.metadata).toMatchObject({ nonce: 2 });
  expect(submitted.metadata).not.toHaveProperty('unsignedTransaction');
});

test('a replacement is signed with its original’s nonce and twice its price', () => {
  const { scene, vault, sign } = signer();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  const request = { ...TO_EVM, vaultId: vault.vaultId, amount: 5n };
  const original = scene.order(request);
  const { transactionId } = original;
  const signatures = payloadsOf(original).map((payload) => sign(payload));
  record(scene.world.submitSignatures({ transactionId, signatures }));
  const replacement = scene.order({ ...request, replacesTransactionId: transactionId });
  expect(evmOf(replacement).raw).toMatchObject({ nonce: 0n, maxFeePerGas: 2n * 10n ** 9n });
});

test('a payment on a network without an encoding still has a digest to sign', () => {
  const { scene, vault, sign } = signer();
  scene.fund(scene.address(vault, 'ripple'), 'XRP', ETH);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ripple',
    asset: 'ripple:XRP',
    amount: 100_000n,
  });
  const { transactionId } = order;
  expect(order.metadata).not.toHaveProperty('unsignedTransaction');
  const signatures = payloadsOf(order).map((payload) => sign(payload));
  expect(signatures).toHaveLength(1);
  expect(record(scene.world.submitSignatures({ transactionId, signatures })).status).toBe(
    'submitted',
  );
});

test('an amount that no EVM transaction can carry has a digest, and no encoding', () => {
  const { scene, vault } = signer();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  const amount = 2n ** 256n;
  scene.fund(address, 'USDC', amount);
  const asset = 'ethereum:USDC';
  const order = scene.order({ vaultId: vault.vaultId, network: 'ethereum', asset, amount });
  expect(order.metadata).not.toHaveProperty('unsignedTransaction');
  expect(payloadsOf(order)).toHaveLength(1);
});

test('the payloads stay when a reorg removes the outputs to spend', () => {
  const { scene, vault } = signer();
  const address = scene.address(vault, 'bitcoin');
  scene.pay(address, 'BTC', 50_000n);
  scene.mine('bitcoin');
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'bitcoin',
    asset: 'bitcoin:BTC',
    amount: 20_000n,
    destinationAddress: address.networkAddress,
  });
  scene.reorg('bitcoin', 1);
  const { signingPayloads, metadata } = scene.transaction(order.transactionId);
  expect(signingPayloads).toEqual(order.signingPayloads);
  expect(metadata).toEqual(order.metadata);
});
