import { readFileSync } from 'node:fs';
import { z } from 'zod';

const amount = z
  .string()
  .regex(/^[0-9]{1,30}$/)
  .transform((text) => BigInt(text));

/** The fee of a transaction, in the fee asset's smallest unit. */
const fee = z.discriminatedUnion('kind', [
  /** Virtual bytes of a pay-to-witness transaction times a fixed rate. */
  z.strictObject({ kind: z.literal('byVirtualSize'), perVirtualByte: amount }),
  z.strictObject({
    kind: z.literal('byGas'),
    gasPrice: amount,
    nativeGas: amount,
    tokenGas: amount,
  }),
  /** Each part is a separate fee entry (system fee, network fee and so on). */
  z.strictObject({
    kind: z.literal('fixed'),
    nativeParts: z.array(amount).min(1),
    tokenParts: z.array(amount).min(1),
  }),
]);

const assetDefinition = z.strictObject({
  symbol: z.string().regex(/^[A-Z0-9]{1,12}$/),
  name: z.string().min(1),
  decimals: z.int().min(0).max(36),
  type: z.string().min(1),
  /** Address of the token's contract. Needed where the core encodes transactions of the network. */
  contract: z.string().optional(),
});

const ADDRESS_FORMATS = ['p2wpkh', 'evm', 'tron', 'ripple', 'stellar', 'neo', 'sui'] as const;

const addressRules = z.strictObject({
  format: z.enum(ADDRESS_FORMATS),
  bech32Prefix: z.string().optional(),
  /** UTXO networks: the first byte of base58 addresses of keys and of scripts. */
  base58Versions: z.strictObject({ pubKeyHash: z.int(), scriptHash: z.int() }).optional(),
  /** First level of the HD path: 44, 84 or 54. */
  purpose: z.int(),
  /** Second level, as registered in SLIP-0044. */
  coinType: z.int(),
});
export type AddressRules = z.infer<typeof addressRules>;

const networkConfig = z
  .strictObject({
    key: z.string().regex(/^[a-z0-9]+$/),
    name: z.string().min(1),
    /** Key of the family whose networks share their addresses; default: the network's own key. */
    family: z
      .string()
      .regex(/^[a-z0-9]+$/)
      .optional(),
    model: z.enum(['utxo', 'account']),
    /** The first asset is the native one. */
    assets: z.array(assetDefinition).min(1),
    feeAsset: z.string(),
    /** Informational tag on transfers of token contracts. */
    tokenTag: z.enum(['erc20', 'contract']).optional(),
    /**
     * Pattern of the contracts that may move here as `<network>:<contract>`, beside the listed
     * assets.
     */
    contractPattern: z.string().optional(),
    confirmations: z.array(z.int().min(1)).min(1),
    mempool: z.boolean(),
    memo: z.boolean(),
    blockTimeSeconds: z.number().positive(),
    startHeight: z.int().min(1000),
    hash: z.enum(['hex', 'HEX', '0xhex', 'base58']),
    address: addressRules,
    fee,
    /** EVM networks: the chain id, which every signature includes (EIP-155). */
    evmChainId: z.int().positive().optional(),
    /**
     * UTXO networks: the smallest output. An order below it is invalid, and smaller change goes to
     * the fee.
     */
    dustAmount: amount.optional(),
    /** A protocol credit on the fee asset for the sender of `onAsset`. */
    mint: z.strictObject({ onAsset: z.string(), amount }).optional(),
    /** Storage rebate to the sender. */
    rebate: z.strictObject({ native: amount, token: amount }).optional(),
  })
  .superRefine((network, context) => {
    const depths = network.confirmations;
    if (depths.some((depth, index) => index > 0 && depth <= (depths[index - 1] ?? 0))) {
      context.addIssue({ code: 'custom', path: ['confirmations'], message: 'must ascend' });
    }
    if (!network.assets.some((asset) => asset.symbol === network.feeAsset)) {
      context.addIssue({ code: 'custom', path: ['feeAsset'], message: 'is not among the assets' });
    }
    if ((network.model === 'utxo') !== (network.fee.kind === 'byVirtualSize')) {
      context.addIssue({
        code: 'custom',
        path: ['fee', 'kind'],
        message: 'does not fit the model',
      });
    }
  });
export type NetworkConfig = z.infer<typeof networkConfig>;

const networksFile = z.strictObject({ networks: z.array(networkConfig).min(1) });

/** Parses the content of a network file. Throws zod's error with the path of the wrong value. */
export function parseNetworks(content: unknown): NetworkConfig[] {
  return networksFile.parse(content).networks;
}

/** Reads the networks of `config/networks.json`, which lies beside both `src/` and `dist/`. */
export function loadNetworks(): NetworkConfig[] {
  const text = readFileSync(new URL('../../../config/networks.json', import.meta.url), 'utf8');
  return parseNetworks(JSON.parse(text));
}
