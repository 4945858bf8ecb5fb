import { describe, expect, test } from 'vitest';
import { BlockchainHash, NetworkKey, TransactionId } from '../../src/domain/ids.ts';
import {
  sameHash,
  withOwnHash,
  type OwnHash,
  type OwnHashStanding,
} from '../../src/domain/own-hash.ts';

/** `ethereum/0xa1 wd-1 told`, read from those words. */
function own(text: string): OwnHash {
  const [at = '', id = '', standing] = text.split(' ');
  const [network = '', hash = ''] = at.split('/');
  return {
    network: NetworkKey(network),
    blockchainHash: BlockchainHash(hash),
    transactionId: TransactionId(id),
    standing: standing as OwnHashStanding,
  };
}

function words({ network, blockchainHash, transactionId, standing }: OwnHash): string {
  return `${network}/${blockchainHash} ${transactionId} ${standing}`;
}

describe('a hash is the same', () => {
  const HERE = { network: NetworkKey('ethereum'), blockchainHash: BlockchainHash('0xa1') };

  test.for([
    ['ethereum', '0xa1', true],
    ['ethereum', '0xb2', false],
    ['polygon', '0xa1', false],
    ['ethereum', null, false],
    [null, '0xa1', false],
  ] as const)('as %s %s: %s', ([network, hash, is]) => {
    const other = {
      network: network === null ? null : NetworkKey(network),
      blockchainHash: hash === null ? null : BlockchainHash(hash),
    };
    expect(sameHash(HERE, other)).toBe(is);
  });
});

describe('a standing takes the place of the same transaction’s at the same hash, and of no other', () => {
  const LISTS: [list: string[], said: string, are: string[]][] = [
    [[], 'ethereum/0xa1 wd-1 told', ['ethereum/0xa1 wd-1 told']],
    [['ethereum/0xa1 wd-1 told'], 'ethereum/0xa1 wd-1 refuted', ['ethereum/0xa1 wd-1 refuted']],
    [
      ['ethereum/0xa1 wd-2 told', 'ethereum/0xa1 wd-1 told'],
      'ethereum/0xa1 wd-1 confirmed',
      ['ethereum/0xa1 wd-2 told', 'ethereum/0xa1 wd-1 confirmed'],
    ],
    [
      ['ethereum/0xb2 wd-1 told'],
      'ethereum/0xa1 wd-1 confirmed',
      ['ethereum/0xb2 wd-1 told', 'ethereum/0xa1 wd-1 confirmed'],
    ],
    [
      ['polygon/0xa1 wd-1 told'],
      'ethereum/0xa1 wd-1 told',
      ['polygon/0xa1 wd-1 told', 'ethereum/0xa1 wd-1 told'],
    ],
  ];

  test.for(LISTS)('%o and %s', ([list, said, are]) => {
    expect(withOwnHash(list.map(own), own(said)).map(words)).toEqual(are);
  });
});
