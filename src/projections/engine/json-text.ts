import { hash } from 'node:crypto'

/** A line of a log, its newline included, is never longer. */
export const lineLimitBytes = 64 * 1024

/** Keys stay in the order they were built in, which follows the contracts. */
export const documentText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** An entry over the limit loses its longest fields and says which, with the digest of the whole. */
export function lineText(entry: object): string {
  const line = `${JSON.stringify(entry)}\n`
  return Buffer.byteLength(line) <= lineLimitBytes ? line : shortened(entry, line)
}

function shortened(entry: object, line: string): string {
  const kept = new Map(Object.entries(entry))
  const omitted: string[] = []
  const longestFirst = [...kept]
    .filter(([name]) => name !== '_ec')
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify(value) ?? '') }))
    .toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
  for (const { name } of longestFirst) {
    kept.delete(name)
    omitted.push(name)
    const marks = {
      ...(kept.get('_ec') as object | undefined),
      omitted,
      full_bytes: Buffer.byteLength(line),
      full_sha256: hash('sha256', line, 'hex'),
    }
    const shorter = `${JSON.stringify({ ...Object.fromEntries(kept), _ec: marks })}\n`
    if (Buffer.byteLength(shorter) <= lineLimitBytes) return shorter
  }
  throw new Error('A log entry cannot be shortened to one line.')
}
