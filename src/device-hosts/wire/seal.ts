import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Direction = 'to_host' | 'to_daemon'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts and authenticates the messages of one direction of one connection. The key is derived from the token of the
 * host, so that nobody without it can read a message or write one that is accepted, whatever access to Redis they have.
 */
export class Seal {
  readonly #key: Buffer

  constructor(tokenSha256: string, connectionId: string, direction: Direction) {
    const secret = Buffer.from(tokenSha256, 'hex')
    this.#key = Buffer.from(hkdfSync('sha256', secret, connectionId, `apprentice-device-host ${direction}`, 32))
  }

  /** `place` names where the message belongs, so that it is accepted nowhere else. */
  close(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(Buffer.from(place))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  }

  /** Undefined if the message was written without the key, was changed, or belongs to another place. */
  open(sealed: string, place: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}
