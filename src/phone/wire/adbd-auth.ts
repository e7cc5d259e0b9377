import { type KeyObject, constants, createPublicKey, publicDecrypt, randomBytes } from 'node:crypto'

const MODULUS_BYTES = 256
const KEY_STRUCT_BYTES = 4 + 4 + MODULUS_BYTES + MODULUS_BYTES + 4
const TOKEN_BYTES = 20
/** The token is signed as a SHA-1 digest. This is the PKCS#1 prefix of such a digest. */
const DIGEST_PREFIX = Buffer.from('3021300906052b0e03021a05000414', 'hex')

export function createToken(): Buffer {
  return randomBytes(TOKEN_BYTES)
}

/** True when `signature` was made over `token` with the private half of `key`. */
export function isSignedBy(key: KeyObject, token: Buffer, signature: Buffer): boolean {
  try {
    const padding = constants.RSA_PKCS1_PADDING
    const opened = publicDecrypt({ key, padding }, signature)
    return opened.equals(Buffer.concat([DIGEST_PREFIX, token]))
  } catch {
    // The padding of a signature by another key is invalid.
    return false
  }
}

/**
 * Parses a public key in adb's format: base64 of a struct (word count, inverse, modulus, Montgomery
 * value, exponent; all little-endian), a space and the owner. Returns undefined if it is invalid.
 */
export function parseAdbKey(text: string): KeyObject | undefined {
  const [encoded = ''] = text.replaceAll('\0', '').trim().split(/\s+/)
  const struct = Buffer.from(encoded, 'base64')
  if (struct.length !== KEY_STRUCT_BYTES || struct.readUInt32LE(0) !== MODULUS_BYTES / 4) {
    return undefined
  }
  const modulus = Buffer.from(struct.subarray(8, 8 + MODULUS_BYTES)).toReversed()
  const exponent = Buffer.alloc(4)
  exponent.writeUInt32BE(struct.readUInt32LE(KEY_STRUCT_BYTES - 4))
  try {
    return createPublicKey({
      format: 'jwk',
      key: {
        kty: 'RSA',
        n: Buffer.from(modulus).toString('base64url'),
        e: Buffer.from(exponent.subarray(exponent.findIndex((byte) => byte !== 0))).toString('base64url'),
      },
    })
  } catch {
    return undefined
  }
}
