import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import type { Random } from '../crash/random.ts'
import { readShape } from '../http/fuzz-schema.ts'
import { buildBundle, buildZip } from '../skill-import/zip-builder.ts'
import { damage } from './body-mutation.ts'

const BOUNDARY = 'attack-boundary-51f'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

const PAPER = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const FILES: readonly Buffer[] = [buildZip(buildBundle()), PAPER, PIXEL, Buffer.alloc(0), Buffer.alloc(300_000, 'x')]

interface Upload {
  readonly body: Buffer
  readonly type: string
}

/** A multipart form with these parts, in this order. Bytes are sent as a file. */
export function buildUpload(parts: Readonly<Record<string, unknown>>): Upload {
  const lines = Object.entries(parts).flatMap(([name, content]) => {
    const isFile = Buffer.isBuffer(content)
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${isFile ? '; filename="a.zip"\r\ncontent-type: application/zip' : ''}`
    return [Buffer.from(`${head}\r\n\r\n`), isFile ? content : Buffer.from(JSON.stringify(content)), CRLF]
  })
  return { body: Buffer.concat([...lines, Buffer.from(`--${BOUNDARY}--\r\n`)]), type: TYPE }
}

const CRLF = Buffer.from('\r\n')

/** A form for a route that takes one: a whole file or a damaged one, with or without its metadata. */
export function buildFuzzedForm(
  { form }: AnyContract,
  { metadata, isDamaged }: { readonly metadata: unknown; readonly isDamaged: boolean },
  random: Random,
): Upload {
  const names = form === undefined ? [] : Object.keys(readShape(form).properties ?? {})
  const file = random.pick(FILES)
  const content = random.chance(0.3) ? damage(file, random) : file
  // The metadata comes first.
  const parts = names
    .toSorted((a) => (a === 'metadata' ? -1 : 1))
    .map((name) => [name, name === 'metadata' ? metadata : content] as const)
  const sent = parts.filter(([name]) => name !== 'metadata' || random.chance(0.5))
  const { body, type } = buildUpload(Object.fromEntries(sent))
  return { type, body: isDamaged ? damage(body, random) : body }
}
