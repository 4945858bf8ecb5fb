import { describe, expect, test } from 'vitest';
import { BlockchainHash, NetworkKey, TransactionId } from '../../../src/domain/ids.ts';
import {
  sameHash,
  withOwnHash,
  type OwnHash,
  type OwnHashCertainty,
} from '../../../src/domain/withdrawal/own-hash.ts';

/** `ethereum/0xa1 wd-1 claimed`, read from those words. */
function own(text: string): OwnHash {
  const [at = '', id = '', certainty] = text.split(' ');
  const [network = '', hash = ''] = at.split('/');
  return {
    network: NetworkKey(network),
    blockchainHash: BlockchainHash(hash),
    transactionId: TransactionId(id),
    certainty: certainty as OwnHashCertainty,
  };
}

function words({ network, blockchainHash, transactionId, certainty }: OwnHash): string {
  return `${network}/${blockchainHash} ${transactionId} ${certainty}`;
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

describe('a certainty replaces the same transaction’s at the same hash, and no other', () => {
  const LISTS: [list: string[], said: string, are: string[]][] = [
    [[], 'ethereum/0xa1 wd-1 claimed', ['ethereum/0xa1 wd-1 claimed']],
    [['ethereum/0xa1 wd-1 claimed'], 'ethereum/0xa1 wd-1 refuted', ['ethereum/0xa1 wd-1 refuted']],
    [
      ['ethereum/0xa1 wd-2 claimed', 'ethereum/0xa1 wd-1 claimed'],
      'ethereum/0xa1 wd-1 confirmed',
      ['ethereum/0xa1 wd-2 claimed', 'ethereum/0xa1 wd-1 confirmed'],
    ],
    [
      ['ethereum/0xb2 wd-1 claimed'],
      'ethereum/0xa1 wd-1 confirmed',
      ['ethereum/0xb2 wd-1 claimed', 'ethereum/0xa1 wd-1 confirmed'],
    ],
    [
      ['polygon/0xa1 wd-1 claimed'],
      'ethereum/0xa1 wd-1 claimed',
      ['polygon/0xa1 wd-1 claimed', 'ethereum/0xa1 wd-1 claimed'],
    ],
  ];

  test.for(LISTS)('%o and %s', ([list, said, are]) => {
    expect(withOwnHash(list.map(own), own(said)).map(words)).toEqual(are);
  });
});
