import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto'
import { type ClientAuth, PrivateKeyJwt } from 'oauth4webapi'
import { OAuthFault } from './oauth-fault.ts'

/** Whether the secret of a client is a private key, with which it signs who it is. */
export const isPrivateKey = (secret: string): boolean => secret.trimStart().startsWith('-----BEGIN PRIVATE KEY-----')

/** Identifies a client by a token that its private key signed. The key itself is not sent. */
export const identifyByKey =
  (pem: string): ClientAuth =>
  async (as, client, body, headers) => {
    const identify = PrivateKeyJwt(await importKey(pem))
    await identify(as, client, body, headers)
  }

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  try {
    const key = createPrivateKey(pem)
    const bytes = key.export({ format: 'der', type: 'pkcs8' })
    return await webcrypto.subtle.importKey('pkcs8', bytes, findAlgorithm(key), false, ['sign'])
  } catch {
    throw new OAuthFault('client_key_unreadable', 'The private key of the client is not one that can sign.')
  }
}

function findAlgorithm({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'ed25519') return { name: 'Ed25519' }
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return { name: 'ECDSA', namedCurve: CURVES[details?.namedCurve ?? ''] ?? '' }
}
