import type { Json } from '../../call.ts';
import type { RowId } from '../rows.ts';

/** One row per chain model: funds, order, entries on the chain, entries on `mined`. */
export const CHAIN_MODELS: readonly {
  name: string;
  rows: RowId[];
  network: string;
  funds: Record<string, string>;
  order: Json & { asset: string };
  chain: string[];
  mined: string[];
}[] = [
  {
    name: 'account: the transfer and the fee',
    rows: ['balance-changes/tag/fee', 'balance-changes/conservation-1'],
    network: 'ethereum',
    funds: { ETH: '1000000000000000000' },
    order: { asset: 'ethereum:ETH', amount: '400' },
    chain: ['-400 ETH', '-21000000000000 ETH fee'],
    mined: ['-400 ETH', '-21000000000000 ETH fee'],
  },
  {
    name: 'erc20: the token and the fee in the native asset',
    rows: ['balance-changes/tag/erc20'],
    network: 'ethereum',
    funds: { ETH: '1000000000000000000', USDC: '5000000' },
    order: { asset: 'ethereum:USDC', amount: '2000000' },
    chain: ['-2000000 USDC erc20', '-65000000000000 ETH fee'],
    mined: ['-2000000 USDC erc20', '-65000000000000 ETH fee'],
  },
  {
    name: 'contract: as erc20, with two fee entries on the chain and one on mined',
    rows: ['balance-changes/tag/contract', 'balance-changes/aggregation/blockchain'],
    network: 'tron',
    funds: { TRX: '100000000', USDT: '5000000' },
    order: { asset: 'tron:USDT', amount: '5' },
    chain: ['-5 USDT contract', '-345000 TRX fee', '-6427000 TRX fee'],
    mined: ['-5 USDT contract', '-6772000 TRX fee'],
  },
  {
    name: 'mint: its own entry on the fee asset, never netted against the fee',
    rows: ['balance-changes/tag/mint'],
    network: 'neo',
    funds: { NEO: '50', GAS: '1000000000' },
    order: { asset: 'neo:NEO', amount: '5' },
    chain: ['-5 NEO', '-997780 GAS fee', '-122752 GAS fee', '37000 GAS mint'],
    mined: ['-5 NEO', '-1120532 GAS fee', '37000 GAS mint'],
  },
  {
    name: 'one asset in several kinds: transfer, one fee and rebate, each an entry',
    rows: ['balance-changes/aggregation/mined'],
    network: 'sui',
    funds: { SUI: '10000000000' },
    order: { asset: 'sui:SUI', amount: '5' },
    chain: ['-5 SUI', '-750000 SUI fee', '-1976000 SUI fee', '978120 SUI rebate'],
    mined: ['-5 SUI', '-2726000 SUI fee', '978120 SUI rebate'],
  },
  {
    name: 'rebate: its own positive entry beside a token transfer',
    rows: ['balance-changes/tag/rebate'],
    network: 'sui',
    funds: { SUI: '10000000000', USDC: '5000000' },
    order: { asset: 'sui:USDC', amount: '7' },
    chain: ['-7 USDC', '-750000 SUI fee', '-2964000 SUI fee', '1956240 SUI rebate'],
    mined: ['-7 USDC', '-3714000 SUI fee', '1956240 SUI rebate'],
  },
  {
    // One input and two outputs are 141 virtual bytes at 5 satoshis.
    name: 'utxo: change to the source merges into the debit, the fee stays apart',
    rows: ['balance-changes/tag/change', 'balance-changes/conservation-5'],
    network: 'bitcoin',
    funds: { BTC: '100000000' },
    order: { asset: 'bitcoin:BTC', amount: '60000000' },
    chain: ['-99999295 BTC', '39999295 BTC change', '-705 BTC fee'],
    mined: ['-60000000 BTC', '-705 BTC fee'],
  },
];
