import { type KeyObject, constants, createPublicKey, publicDecrypt, randomBytes } from 'node:crypto'

const modulusBytes = 256
const keyStructBytes = 4 + 4 + modulusBytes + modulusBytes + 4
const tokenBytes = 20
/** The token is signed as if it were a SHA-1 digest; this is what PKCS#1 puts before one. */
const digestPrefix = Buffer.from('3021300906052b0e03021a05000414', 'hex')

export function newToken(): Buffer {
  return randomBytes(tokenBytes)
}

/** True when `signature` was made over `token` with the private half of `key`. */
export function signedBy(key: KeyObject, token: Buffer, signature: Buffer): boolean {
  try {
    const padding = constants.RSA_PKCS1_PADDING
    const opened = publicDecrypt({ key, padding }, signature)
    return opened.equals(Buffer.concat([digestPrefix, token]))
  } catch {
    // A signature by another key does not even unpad.
    return false
  }
}

/**
 * Reads a public key as adb sends and stores it: base64 of a struct (word count, inverse, modulus,
 * a Montgomery helper, exponent; all little-endian), a space and the owner. Undefined if it is none.
 */
export function parseAdbKey(text: string): KeyObject | undefined {
  const [encoded = ''] = text.replaceAll('\0', '').trim().split(/\s+/)
  const struct = Buffer.from(encoded, 'base64')
  if (struct.length !== keyStructBytes || struct.readUInt32LE(0) !== modulusBytes / 4) {
    return undefined
  }
  const modulus = Buffer.from(struct.subarray(8, 8 + modulusBytes)).toReversed()
  const exponent = Buffer.alloc(4)
  exponent.writeUInt32BE(struct.readUInt32LE(keyStructBytes - 4))
  try {
    return createPublicKey({
      format: 'jwk',
      key: {
        kty: 'RSA',
        n: Buffer.from(modulus).toString('base64url'),
        e: Buffer.from(exponent.subarray(exponent.findIndex((byte) => byte !== 0))).toString(
          'base64url',
        ),
      },
    })
  } catch {
    return undefined
  }
}
