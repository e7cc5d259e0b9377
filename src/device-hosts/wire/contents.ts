import { hash } from 'node:crypto'

/** Longer texts, and all bytes, are sent over HTTP; the message names their hash. */
const LONGEST_INLINE = 4096

interface Reference {
  readonly $content: string
  readonly as: 'bytes' | 'text'
}

/** Sends bytes to the daemon. */
export type SendContent = (sha256: string, bytes: Buffer) => Promise<void>

/** A copy of the value in which large contents are replaced by references, after they were sent. */
export async function packContents(value: unknown, send: SendContent): Promise<unknown> {
  if (typeof value === 'string')
    return value.length > LONGEST_INLINE ? sendOne(Buffer.from(value), 'text', send) : value
  if (Buffer.isBuffer(value)) return sendOne(value, 'bytes', send)
  if (Array.isArray(value)) return Promise.all(value.map((one) => packContents(one, send)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(async ([name, one]) => [name, await packContents(one, send)] as const)
  return Object.fromEntries(await Promise.all(fields))
}

async function sendOne(bytes: Buffer, as: Reference['as'], send: SendContent): Promise<Reference> {
  const sha256 = hash('sha256', bytes, 'hex')
  await send(sha256, bytes)
  return { $content: sha256, as }
}

/** The value with its contents. Throws if one was not received. */
export function unpackContents(value: unknown, take: (sha256: string) => Buffer): unknown {
  if (Array.isArray(value)) return value.map((one) => unpackContents(one, take))
  if (typeof value !== 'object' || value === null) return value
  if (isReference(value)) {
    const bytes = take(value.$content)
    return value.as === 'text' ? bytes.toString('utf8') : bytes
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpackContents(one, take)]))
}

const isReference = (value: object): value is Reference =>
  typeof (value as Partial<Reference>).$content === 'string' && Object.keys(value).length === 2
