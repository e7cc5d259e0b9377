import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { HEADER_LINE } from './document.ts'
import { readYaml, type YamlRead, type YamlRefusal } from './yaml.ts'

export type FieldsRead = { readonly fields: Readonly<Record<string, unknown>> } | YamlRefusal

/** About 300 fields or list items. Headers are parsed in the main thread, where no work may take long. */
const MAX_HEADER_TOKENS = 2000

/** Parses the fields of a header. An empty header and values without the required quotes are accepted. */
export function readFields(header: string): FieldsRead {
  if (header.trim() === '') return { fields: {} }
  const read = parseFields(header)
  if ('fields' in read || read.why !== 'broken') return read
  const repaired = parseFields(quoteValues(header))
  return 'fields' in repaired ? repaired : read
}

function parseFields(header: string): FieldsRead {
  const read: YamlRead = readYaml(header, { firstLine: HEADER_LINE, maxTokens: MAX_HEADER_TOKENS })
  if ('why' in read) return read
  if (isRecord(read.value)) return { fields: read.value }
  const message = 'The header must be a mapping of fields to values'
  return { why: 'broken', problems: [{ message, line: HEADER_LINE }] }
}

/** Values such as `description: Use when: …` are common. They are invalid YAML without quotes but unambiguous. */
const quoteValues = (header: string): string =>
  header
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#].*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? line : `${key}: ${JSON.stringify(value)}`
    })
    .join('\n')
