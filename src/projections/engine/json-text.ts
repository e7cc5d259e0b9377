import { hash } from 'node:crypto'

/** The longest line of a log, including its newline. */
export const LINE_LIMIT_BYTES = 64 * 1024

/** Keys keep the order in which they were built, which is the order of the contracts. */
export const formatDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Omits the longest fields of an entry over the limit. `_ec` names them, with the size and digest of the full line. */
export function formatLine(entry: object): string {
  const line = `${JSON.stringify(entry)}\n`
  return Buffer.byteLength(line) <= LINE_LIMIT_BYTES ? line : shortenLine(entry, line)
}

function shortenLine(entry: object, line: string): string {
  const fields = new Map(Object.entries(entry))
  const omitted: string[] = []
  const longestFirst = [...fields]
    .filter(([name]) => name !== '_ec')
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify(value) ?? '') }))
    .toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
  for (const { name } of longestFirst) {
    fields.delete(name)
    omitted.push(name)
    const marks = {
      ...(fields.get('_ec') as object | undefined),
      omitted,
      full_bytes: Buffer.byteLength(line),
      full_sha256: hash('sha256', line, 'hex'),
    }
    const shorter = `${JSON.stringify({ ...Object.fromEntries(fields), _ec: marks })}\n`
    if (Buffer.byteLength(shorter) <= LINE_LIMIT_BYTES) return shorter
  }
  throw new Error('A log entry cannot be shortened to one line.')
}
