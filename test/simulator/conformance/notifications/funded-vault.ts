import type { Json } from '../../call.ts';
import type { Address, Stage, Vault } from '../stage.ts';

/** A vault with these settings and one address, which holds these amounts by asset. */
export async function fundedVault(
  stage: Stage,
  funding: { network: string; funds: Record<string, string> },
  settings: Json = {},
): Promise<{ vault: Vault; address: Address }> {
  const vault = await stage.vault(settings);
  const address = await stage.address(vault, funding.network);
  for (const [asset, amount] of Object.entries(funding.funds)) {
    await stage.fund(address, asset, amount);
  }
  return { vault, address };
}
