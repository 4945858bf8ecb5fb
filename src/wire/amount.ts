/** An amount in the asset's smallest unit, as text (section "Balance change entry"). */
export const AMOUNT = /^-?[0-9]{1,78}$/;

/** Most decimals of an asset. */
export const DECIMALS_MAX = 255;
